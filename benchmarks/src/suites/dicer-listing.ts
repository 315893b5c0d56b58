import { strict as assert } from 'node:assert';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import {
  InstanceListingSchema,
  InstanceState,
  type ListedInstance,
  ListInstancesResponseSchema,
} from '@rungar/dicer-api';
import type { Random } from '@rungar/model';
import type { Benchmark } from '../benchmark.js';
import { cost } from '../rate.js';
import { someLabels } from './machines.js';

const MACHINES = 2_500;
/** As long as GitHub's are. */
const REGISTRATION_BYTES = 3_600;

/** The bytes of a host's listing, each instance with its whole environment, as the daemon sends them. */
function someListing(random: Random): Uint8Array {
  const instances = someLabels(random, MACHINES).map((labels, at) => ({
    id: Buffer.from(random.bytes(16)).toString('hex'),
    name: labels['rungar.sh/runner'] ?? '',
    imageRef: 'ghcr.io/actions/actions-runner:latest',
    kernelName: 'vmlinux-6.12',
    vcpus: 4,
    memoryBytes: 8n * 1024n ** 3n,
    diskBytes: 20n * 1024n ** 3n,
    networkName: 'default',
    env: {
      RUNNER_ALLOW_RUNASROOT: '1',
      ACTIONS_RUNNER_INPUT_JITCONFIG: Buffer.from(random.bytes(REGISTRATION_BYTES)).toString('base64'),
    },
    cmd: ['/home/runner/run.sh'],
    labels: { ...labels },
    createTime: timestampFromMs(1_790_000_000_000 + at),
    updateTime: timestampFromMs(1_790_000_000_000 + at),
    startTime: timestampFromMs(1_790_000_000_000 + at),
    state: InstanceState.RUNNING,
    ip: `10.0.${at >> 8}.${at & 255}`,
    mac: '02:00:00:00:00:01',
    removeOnExit: true,
  }));
  return toBinary(ListInstancesResponseSchema, create(ListInstancesResponseSchema, { instances }));
}

const readWhole = (bytes: Uint8Array) => fromBinary(ListInstancesResponseSchema, bytes).instances;
const readListing = (bytes: Uint8Array) =>
  fromBinary(InstanceListingSchema, bytes, { readUnknownFields: false }).instances;

export const dicerListing: Benchmark = {
  id: 'P21',
  kind: 'real',
  what: 'a listing of 2,500 Dicer instances with their registrations',
  measurements: [
    cost({
      what: 'what a machine is read ÷ everything read',
      inputs: (random) => [someListing(random)],
      check(bytes) {
        const facts = ({ id, name, labels, state, createTime }: Omit<ListedInstance, '$typeName'>) =>
          JSON.stringify([id, name, labels, state, String(createTime?.seconds)]);
        const listed = readListing(bytes);
        assert.deepEqual(listed.map(facts), readWhole(bytes).map(facts));
        assert(
          listed.every((instance) => instance.$unknown === undefined),
          'the rest is not kept',
        );
      },
      ours: readListing,
      reference: readWhole,
      target: 0.65,
      bar: 0.9,
    }),
  ],
};
