import type { Lab } from '../benchmark.js';
import { type OtherProcess, startOther } from '../other-process.js';

/** GitHub and one large Dicer host, whose machines connect at once. A request to the control address queues jobs. */
const SERVICES = `
import { createServer } from 'node:http';
import { startDicerEmulator } from '@rungar/emulators/dicer';
import { startGitHubEmulator } from '@rungar/emulators/github';
const [, socketPath, scaleSets] = process.argv;
const github = await startGitHubEmulator({ rateLimit: 1e9 });
const dicer = await startDicerEmulator({
  socketPath,
  host: { vcpus: 1e6, memoryBytes: 2n ** 60n, diskBytes: 2n ** 60n, networks: [{ name: 'default', addresses: 1e6 }] },
  times: { bootMs: 0, stopMs: 0 },
});
let next = 0;
const control = createServer((request, response) => {
  for (let count = Number(request.url.slice(1)); count > 0; count--) {
    github.queueJob({ labels: ['set-' + (next++ % scaleSets)], seconds: 2 });
  }
  const completed = github.jobs().filter(({ state }) => state === 'completed').length;
  response.end(JSON.stringify({ queued: next, completed }));
});
control.listen(0, '127.0.0.1', () => console.log(JSON.stringify({
  githubUrl: github.configUrl,
  token: github.createToken(),
  dicer: dicer.address,
  controlUrl: 'http://127.0.0.1:' + control.address().port,
})));
`;

export interface JobCounts {
  readonly queued: number;
  readonly completed: number;
}

/** The emulated services, in a process of their own. */
export interface Services {
  readonly githubUrl: string;
  readonly token: string;
  readonly dicer: string;
  /** Queues jobs, one scale set after the other, and tells how many there have been. */
  queue(jobs: number): Promise<JobCounts>;
  close(): void;
}

export async function startServices(lab: Lab, socketPath: string, scaleSets: number): Promise<Services> {
  const other: OtherProcess = await startOther(lab, SERVICES, [socketPath, String(scaleSets)]);
  const { controlUrl, ...facts } = JSON.parse(other.said) as Omit<Services, 'queue' | 'close'> & { controlUrl: string };
  return {
    ...facts,
    queue: async (jobs) => (await (await fetch(`${controlUrl}/${jobs}`)).json()) as JobCounts,
    close: () => other.close(),
  };
}
