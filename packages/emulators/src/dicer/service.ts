import { create } from '@bufbuild/protobuf';
import { type Empty, EmptySchema } from '@bufbuild/protobuf/wkt';
import { Code, type ServiceImpl } from '@connectrpc/connect';
import {
  CreateInstanceRequestSchema,
  type DaemonService,
  DeleteInstanceRequestSchema,
  GetHostInfoRequestSchema,
  type GetHostInfoResponse,
  GetHostInfoResponseSchema,
  GetImageRequestSchema,
  type GetInstanceLogsRequest,
  GetInstanceLogsRequestSchema,
  GetInstanceRequestSchema,
  GetResourcesRequestSchema,
  type InstanceLogChunk,
  InstanceLogChunkSchema,
  ListImagesRequestSchema,
  ListImagesResponseSchema,
  ListInstancesRequestSchema,
  ListInstancesResponseSchema,
  LogSource,
  PullImageRequestSchema,
  StartInstanceRequestSchema,
  StopInstanceRequestSchema,
} from '@rungar/dicer-api';
import type { Calls } from './calls.js';
import type { Fleet } from './fleet.js';
import type { DicerHost } from './host.js';
import type { Images } from './images.js';
import { refused } from './refusals.js';

export interface ServiceOptions {
  readonly calls: Calls;
  readonly fleet: Fleet;
  readonly images: Images;
  readonly host: DicerHost;
  readonly version: string;
  readonly address: () => string;
}

/** The methods the emulator has; any other is `UNIMPLEMENTED`. */
export function daemonService(options: ServiceOptions): Partial<ServiceImpl<typeof DaemonService>> {
  const { calls, fleet, images } = options;
  return {
    createInstance: (request, { values }) =>
      calls.answer(values, CreateInstanceRequestSchema, request, () => fleet.create(request)),
    listInstances: (request, { values }) =>
      calls.answer(values, ListInstancesRequestSchema, request, () =>
        create(ListInstancesResponseSchema, { instances: [...fleet.instances] }),
      ),
    getInstance: (request, { values }) =>
      calls.answer(values, GetInstanceRequestSchema, request, () => fleet.find(request.name).instance),
    startInstance: (request, { values }) =>
      calls.answer(values, StartInstanceRequestSchema, request, () => fleet.start(request.name)),
    stopInstance: (request, { values }) =>
      calls.answer(values, StopInstanceRequestSchema, request, () => fleet.stop(request.name)),
    deleteInstance: (request, { values }) =>
      calls.answer(values, DeleteInstanceRequestSchema, request, (): Empty => {
        fleet.delete(request.name, request.force);
        return create(EmptySchema);
      }),
    getInstanceLogs: (request, { values }) =>
      calls.stream(values, GetInstanceLogsRequestSchema, request, () => logsOf(fleet, request)),
    getImage: (request, { values }) =>
      calls.answer(values, GetImageRequestSchema, request, () => images.get(request.ref)),
    listImages: (request, { values }) =>
      calls.answer(values, ListImagesRequestSchema, request, () =>
        create(ListImagesResponseSchema, { images: [...images.all] }),
      ),
    pullImage: (request, { values }) =>
      calls.stream(values, PullImageRequestSchema, request, () => images.pull(request.ref)),
    getHostInfo: (request, { values }) =>
      calls.answer(values, GetHostInfoRequestSchema, request, () => hostInfo(options)),
    getResources: (request, { values }) =>
      calls.answer(values, GetResourcesRequestSchema, request, () => fleet.capacity.resources()),
  };
}

function hostInfo({ host, version, address }: ServiceOptions): GetHostInfoResponse {
  return create(GetHostInfoResponseSchema, {
    version,
    hostname: host.hostname,
    apiAddresses: [address()],
    defaultKernel: host.kernels[0] ?? '',
    defaultNetwork: host.networks[0]?.name ?? '',
  });
}

/** The lines in two chunks, the first of which ends in the middle of one. */
function logsOf(fleet: Fleet, { name, source, tailLines, follow }: GetInstanceLogsRequest): InstanceLogChunk[] {
  const record = fleet.find(name);
  if (follow || source === LogSource.HYPERVISOR) {
    throw refused(Code.Unimplemented, 'the emulator does not follow logs, and has none of the hypervisor');
  }
  const lines = fleet.consoleOf(record);
  const data = Buffer.from((tailLines > 0 ? lines.slice(-tailLines) : lines).map((line) => `${line}\n`).join(''));
  const half = Math.floor(data.length / 2);
  return [data.subarray(0, half), data.subarray(half)].map((part) => create(InstanceLogChunkSchema, { data: part }));
}
