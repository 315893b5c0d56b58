import type { Lab } from '../benchmark.js';
import { type OtherProcess, startOther } from '../other-process.js';

/** How long the services take to answer, in milliseconds. */
export const LATENCY = { jit: 200, run: 500, terminate: 300 } as const;

/** GitHub and EC2, emulated in another process, a bare server beside them, and what moves them. */
export interface WireWorld {
  readonly githubUrl: string;
  readonly token: string;
  readonly ec2: {
    readonly url: string;
    readonly region: string;
    readonly subnet: string;
    readonly image: string;
    readonly key: { readonly accessKeyId: string; readonly secretAccessKey: string };
  };
  /** Answers `/jit` and `/run` as late and with as many bytes as the two do. */
  readonly bareUrl: string;
  /** Assigns jobs, in one message. */
  queueJobs(count: number): Promise<void>;
  cancelJobs(): Promise<void>;
  /** Ends every instance, whoever made it. */
  clear(): Promise<void>;
  state(): Promise<WireState>;
  close(): void;
}

export interface WireState {
  /** Instances that are not gone or going. */
  readonly instances: number;
  readonly runners: number;
  /** Calls so far that are not polls. */
  readonly calls: number;
}

/** The other process. Its machines never boot: what is measured is how they are made. */
const SERVICES = `
import { createServer } from 'node:http';
import { startEc2Emulator } from '@rungar/emulators/aws';
import { startGitHubEmulator } from '@rungar/emulators/github';
const latency = JSON.parse(process.argv[1]);
const never = 3_600_000;
const github = await startGitHubEmulator({ rateLimit: 1e9 });
const ec2 = await startEc2Emulator({
  times: { bootMs: never, shutdownMs: 0, terminatedMs: 0 },
  latency: { actions: { RunInstances: latency.run, TerminateInstances: latency.terminate } },
});
github.setFault({ operation: 'jit-config', kind: 'slow', delayMs: latency.jit, times: Infinity });
const living = () => ec2.instances().filter(({ state }) => state !== 'shutting-down' && state !== 'terminated');
const sum = (counts) => Object.entries(counts).reduce((all, [name, count]) => name === 'get-message' ? all : all + count, 0);
const CONTROLS = {
  queue: (count) => github.queueJobs(Array.from({ length: count }, () => ({ labels: ['linux'] }))),
  cancel: () => { for (const { id, result } of github.jobs()) if (result === undefined) github.cancelJob(id); },
  clear: () => { for (const { id } of living()) ec2.terminate(id); },
  state: () => undefined,
};
const control = createServer((request, response) => {
  const [, action, count] = request.url.split('/');
  CONTROLS[action](Number(count));
  const calls = sum(Object.fromEntries(github.counts)) + sum(ec2.stats().calls);
  response.end(JSON.stringify({ instances: living().length, runners: github.runners().length, calls }));
});
const BYTES = { '/jit': 'x'.repeat(2_600), '/run': 'x'.repeat(3_900) };
const bare = createServer((request, response) => {
  const after = request.url === '/jit' ? latency.jit : latency.run;
  request.resume().on('end', () => setTimeout(() => response.end(BYTES[request.url]), after));
});
// A client that has its connection closed between two rounds fails with the next one.
bare.keepAliveTimeout = never;
const listen = (server) => new Promise((resolve) =>
  server.listen(0, '127.0.0.1', () => resolve('http://127.0.0.1:' + server.address().port)));
console.log(JSON.stringify({
  githubUrl: github.configUrl,
  token: github.createToken(),
  ec2: {
    url: ec2.url,
    region: ec2.region,
    subnet: ec2.catalogue.subnets[0].id,
    image: ec2.catalogue.images[0].id,
    key: ec2.credentials,
  },
  bareUrl: await listen(bare),
  controlUrl: await listen(control),
}));
`;

export async function startWireWorld(lab: Lab): Promise<WireWorld> {
  const other: OtherProcess = await startOther(lab, SERVICES, [JSON.stringify(LATENCY)]);
  const { controlUrl, ...facts } = JSON.parse(other.said) as Pick<
    WireWorld,
    'githubUrl' | 'token' | 'ec2' | 'bareUrl'
  > & { readonly controlUrl: string };
  const control = async (path: string): Promise<WireState> => {
    const response = await fetch(`${controlUrl}/${path}`);
    if (!response.ok) throw new Error(`the other process answers ${response.status} to ${path}`);
    return (await response.json()) as WireState;
  };
  return {
    ...facts,
    queueJobs: async (count) => void (await control(`queue/${count}`)),
    cancelJobs: async () => void (await control('cancel/0')),
    clear: async () => void (await control('clear/0')),
    state: () => control('state/0'),
    close: () => other.close(),
  };
}
