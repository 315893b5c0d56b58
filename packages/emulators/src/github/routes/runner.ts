import type { JobResult } from '../../machine/runner-client.js';
import { type EmulatedAnswer, type EmulatedRequest, json, type Route } from '../../server.js';
import { readMembers } from '../body.js';
import type { Runner } from '../entities.js';
import { restError, restRefusal } from '../refusals.js';
import type { Runners } from '../runners.js';
import type { World } from '../world.js';

const RUNNER = '/runners/:runner';
const RESULTS: readonly JobResult[] = ['succeeded', 'failed', 'canceled'];

/**
 * What a runner calls with the secret from its JIT configuration. These calls are the emulator's own: real runners
 * speak another protocol, of which no tool around scale sets sees anything.
 */
export function runnerRoutes({ world, runners }: { readonly world: World; readonly runners: Runners }): Route[] {
  const route = (
    operation: string,
    method: string,
    path: string,
    handle: (runner: Runner, request: EmulatedRequest) => EmulatedAnswer | Promise<EmulatedAnswer>,
  ): Route => ({
    operation,
    own: true,
    method,
    path: `${RUNNER}/${path}`,
    headers: ['authorization'],
    takesBody: method === 'POST',
    refuse: ({ status, message }) => restError(status, message),
    handle: (request) => handle(caller(request), request),
  });

  return [
    route('runner-connect', 'POST', 'connect', (runner) => {
      const { runnerVersion: version, runnerVersions } = world.settings;
      const end = runnerVersions[version] ?? undefined;
      if (end !== undefined && Date.parse(end) <= world.clock.now())
        return restError(403, `Runner version v${version} is deprecated and cannot receive messages.`);
      runner.version = version;
      runners.touch(runner);
      return json(200, {});
    }),
    route('runner-job', 'GET', 'job', async (runner, { signal }) => {
      const job = await runners.waitForJob(runner, signal);
      if (job) return json(200, { jobId: job.id, seconds: job.seconds, fail: job.fail });
      return runner.gone ? unknownRunner() : { status: 202 };
    }),
    route('runner-cancellation', 'GET', 'jobs/:job/cancellation', async (runner, { params, signal }) => {
      if (runner.job?.id !== params.job) return unknownRunner();
      const cancelled = await runners.waitForCancellation(runner, signal);
      if (runner.gone) return unknownRunner();
      return cancelled ? json(200, {}) : { status: 202 };
    }),
    route('runner-finish', 'POST', 'jobs/:job/finish', (runner, { params, body }) => {
      const { job } = runner;
      if (job?.id !== params.job || !job) return unknownRunner();
      const wrong = (message: string): Error => restRefusal(400, message);
      const given = readMembers(body, ['result'], wrong).text('result');
      const result = RESULTS.find((known) => known === given);
      if (!result) throw wrong(`result is ${given}; one of ${RESULTS.join(', ')} is wanted`);
      runners.finish(runner, job, result);
      return json(200, {});
    }),
  ];

  function caller({ params, headers }: EmulatedRequest): Runner {
    const runner = world.runners.get(Number(params.runner));
    if (!runner || headers.authorization !== `Bearer ${runner.secret}`) throw restRefusal(401, 'not a runner of ours');
    return runner;
  }
}

function unknownRunner(): EmulatedAnswer {
  return restError(404, 'the runner has no such registration or job');
}
