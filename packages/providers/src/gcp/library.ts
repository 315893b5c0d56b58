import { RungarError } from '@rungar/model';
import { requireDependency, requireInstalled } from '../shared/require-installed.js';
import { onlyService } from './descriptions.js';

/** The clients of `@google-cloud/compute` that are used, and the file each is in. */
const FILES = {
  DisksClient: 'disks_client',
  ImagesClient: 'images_client',
  InstancesClient: 'instances_client',
  InstanceTemplatesClient: 'instance_templates_client',
  MachineTypesClient: 'machine_types_client',
  NetworksClient: 'networks_client',
  RegionInstanceTemplatesClient: 'region_instance_templates_client',
  SubnetworksClient: 'subnetworks_client',
  ZoneOperationsClient: 'zone_operations_client',
  ZonesClient: 'zones_client',
} as const;

export type ClientName = keyof typeof FILES;

/** A request of the library: a method's parameters by their names, with the body under the name of its resource. */
export type LibraryRequest = Readonly<Record<string, unknown>>;

/** A client of the library: a method for each of the API's. Some give an answer, some go through pages. */
export type LibraryClient = Readonly<
  Record<string, (request: LibraryRequest, options: object) => Promise<unknown> | AsyncIterable<unknown>>
>;

type ClientConstructor = new (options: ClientOptions) => LibraryClient;

export interface ClientOptions {
  readonly authClient: object;
  readonly fallback: 'rest';
  readonly apiEndpoint?: string;
  readonly port?: number;
  readonly protocol?: string;
}

/** What an authenticated call goes out by. */
export interface AuthClient {
  getRequestHeaders(url?: string): Promise<Headers>;
  fetch(
    url: string,
    options: FetchOptions,
  ): Promise<{ readonly status: number; readonly headers: Headers; readonly data: unknown }>;
}

export interface FetchOptions {
  readonly method: string;
  readonly headers: Headers;
  readonly body?: string;
  readonly signal: AbortSignal;
  readonly responseType: 'text';
  readonly errorRedactor: false;
  readonly agent: object;
}

/** How tokens are asked for. */
export interface TransporterOptions {
  readonly timeout: number;
  /** What a request to that address goes out by. */
  agent(url: URL): object;
}

/** The parts of `google-auth-library` that are used. */
export interface AuthLibrary {
  readonly GoogleAuth: new (options: {
    scopes: readonly string[];
    credentials?: object;
    clientOptions: { transporterOptions: TransporterOptions };
  }) => { getClient(): Promise<AuthClient> };
  readonly Impersonated: new (options: {
    sourceClient: AuthClient;
    targetPrincipal: string;
    targetScopes: readonly string[];
    lifetime: number;
  }) => AuthClient;
  /** What looks for a metadata server, and remembers that there is none. */
  readonly gcpMetadata?: { resetIsAvailableCache(): void };
  readonly PassThroughClient: new (options: { transporterOptions: TransporterOptions }) => AuthClient;
}

/** How the parts of Google's libraries are loaded. */
export interface LibraryLoader {
  /** @throws RungarError `invalid_argument` when it is not installed, with the command that installs it; so below */
  client(name: ClientName): Promise<ClientConstructor>;
  auth(): Promise<AuthLibrary>;
}

/** Names a file of the library that is not an entry of its own, as there is none: a fifth of the whole's time and memory. */
export function clientPath(name: ClientName): string {
  return `@google-cloud/compute/build/src/v1/${FILES[name]}.js`;
}

const COMPUTE = '@google-cloud/compute';
const AUTH = 'google-auth-library';

type Module = Readonly<Record<string, unknown>>;

/**
 * @param requireModule loads a module by its name, as `require` does
 * @param requireGax loads the `google-gax` that the library's clients are built on
 */
export function libraryLoader(
  requireModule: (name: string) => unknown,
  requireGax: () => unknown = () => undefined,
): LibraryLoader {
  const load = async (name: string): Promise<Module> => requireModule(name) as Module;

  const loadPackage = async (name: string): Promise<Module> => {
    try {
      return await load(name);
    } catch (error) {
      if (!isMissing(error)) throw error;
      const message = `a provider of type gcp needs the package ${name}, which is not installed`;
      const hint = `Install it beside Rungar: npm install ${COMPUTE} ${AUTH}`;
      throw new RungarError('invalid_argument', message, { cause: error, hint });
    }
  };

  return {
    async client(name) {
      const module = await load(clientPath(name)).catch((error: unknown) => {
        if (!isMissing(error)) throw error;
        return loadPackage(COMPUTE); // another version may keep its files elsewhere
      });
      return ofOneService(module[name] as AnyClient, name.replace(/Client$/, ''), requireGax);
    },
    auth: async () => (await loadPackage(AUTH)) as unknown as AuthLibrary,
  };
}

/** A client as the library has it, which takes another `google-gax` than the one it would load. */
type AnyClient = new (options: ClientOptions, gax?: object) => LibraryClient;

/** The part of `google-gax` that reads what an API is described by. */
interface Gax {
  readonly fallback: {
    readonly GrpcClient: new (
      options: object,
    ) => { loadProtoJSON(descriptions: object, ignoreCache?: boolean): unknown };
  };
}

/** A client that reads the description of its own service alone: with those of all it takes ten times as long to make. */
function ofOneService(Client: AnyClient, service: string, requireGax: () => unknown): ClientConstructor {
  const gax = findGax(requireGax);
  if (gax === undefined) return Client;
  const { fallback } = gax;
  class OneServiceGrpcClient extends fallback.GrpcClient {
    override loadProtoJSON(descriptions: object, ignoreCache?: boolean): unknown {
      return super.loadProtoJSON(onlyService(descriptions, service), ignoreCache);
    }
  }
  const lighter: Gax = Object.create(gax, {
    fallback: { value: Object.create(fallback, { GrpcClient: { value: OneServiceGrpcClient } }) },
  });
  return class extends Client {
    constructor(options: ClientOptions) {
      super(options, lighter);
    }
  };
}

function findGax(requireGax: () => unknown): Gax | undefined {
  try {
    return requireGax() as Gax | undefined;
  } catch (error) {
    if (!isMissing(error)) throw error;
    return undefined; // another version may be built on something else
  }
}

/** The libraries that are installed. Their types are not looked at: they would cost every build more than all of ours. */
export const systemLoader: LibraryLoader = libraryLoader(requireInstalled, () =>
  requireDependency(COMPUTE, 'google-gax'),
);

function isMissing(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'MODULE_NOT_FOUND';
}
