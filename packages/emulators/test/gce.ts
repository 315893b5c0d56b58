import { afterEach, expect } from 'vitest';
import { type ManualClock, manualClock } from '../src/clock.js';
import { type GceEmulator, type GceEmulatorOptions, startGceEmulator } from '../src/gcp/index.js';
import { seededRandom } from '../src/random.js';

export const PROJECT = 'my-ci-project';
export const ZONE = 'europe-west1-b';
export const NOON = Date.UTC(2026, 0, 2, 12, 0, 0);

/** What a test starts is ended after it. */
const endings: (() => void | Promise<void>)[] = [];

export function endAfterTest(end: () => void | Promise<void>): void {
  endings.push(end);
}

afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

export interface Answer {
  readonly status: number;
  // biome-ignore format: one line says it
  readonly body: { readonly error?: { readonly message: string; readonly errors: readonly { readonly reason: string }[] } } & Readonly<Record<string, unknown>>;
}

export interface World {
  readonly gce: GceEmulator;
  readonly clock: ManualClock;
  /** Calls a method by its path from the project on. */
  call(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  /** Inserts an instance and gives its operation. */
  insert(name: string, changes?: Readonly<Record<string, unknown>>, query?: string): Promise<Answer>;
}

/** An emulator whose clock stands still at noon, whose inserts take 10 s, boots 5 s and deletions 8 s. */
export async function startWorld(options: GceEmulatorOptions = {}): Promise<World> {
  const clock = manualClock(NOON);
  const gce = await startGceEmulator({
    project: PROJECT,
    clock,
    random: seededRandom(1),
    ...options,
    times: { insertMs: 10_000, bootMs: 5000, deleteMs: 8000, setLabelsMs: 0, stopMs: 3000, ...options.times },
  });
  endAfterTest(async () => {
    await gce.close();
    expect(gce.failures).toEqual([]);
  });
  const call: World['call'] = async (method, path, body, headers = {}) => {
    const response = await fetch(`${gce.url}/compute/v1/projects/${PROJECT}${path}`, {
      method,
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Answer['body'] };
  };
  return {
    gce,
    clock,
    call,
    insert: (name, changes, query = '') =>
      call('POST', `/zones/${ZONE}/instances${query}`, instanceBody(name, changes)),
  };
}

/** The body of an insert. A change to `undefined` leaves a field out. */
export function instanceBody(name: string, changes: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return {
    name,
    machineType: `zones/${ZONE}/machineTypes/e2-small`,
    labels: { team: 'ci' },
    metadata: { items: [{ key: 'note', value: 'hello' }] },
    disks: [
      {
        boot: true,
        autoDelete: true,
        initializeParams: { sourceImage: `projects/${PROJECT}/global/images/family/runner`, diskSizeGb: '20' },
      },
    ],
    networkInterfaces: [{ network: 'global/networks/default' }],
    ...changes,
  };
}

/** What an answer refuses with: `STATUS reason: message`. */
export function refusalOf({ status, body: { error } }: Answer): string {
  return `${status} ${error?.errors[0]?.reason}: ${error?.message}`;
}
