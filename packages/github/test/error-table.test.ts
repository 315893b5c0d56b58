import { type GitHubEmulator, startGitHubEmulator } from '@rungar/emulators/github';
import { type ScaleSetRecord, type ScaleSetService, Secret } from '@rungar/model';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { call, clientOf } from './clients.js';
import { quickClock } from './quick-clock.js';

interface Here {
  readonly github: GitHubEmulator;
  readonly client: ScaleSetService;
  readonly scaleSet: ScaleSetRecord;
}

let here: Here;
let github: GitHubEmulator;
let client: ScaleSetService;
beforeAll(async () => {
  github = await startGitHubEmulator({ pollHoldMs: 20, runnerGroups: ['builders'] });
  const credentials = { kind: 'token', token: new Secret(github.createToken()) } as const;
  client = clientOf(github.configUrl, { credentials, clock: quickClock() });
});
afterAll(async () => {
  await client.close();
  await github.close();
});
beforeEach(async () => {
  github.clearFaults();
  for (const { id } of github.scaleSets()) github.purgeScaleSet(id);
  here = { github, client, scaleSet: await client.createScaleSet('linux', 'Default', ['linux'], call) };
});

const typed = (typeName: string, message: string): string =>
  JSON.stringify({ typeName: `GitHub.Some.Where.${typeName}, GitHub.Some.Where`, message });
const failing = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => {
      throw new Error('it was no error');
    },
    (error: unknown) => error,
  );

const openSession = ({ client, scaleSet }: Here) => client.openSession(scaleSet, 'me', call);
const register = ({ client, scaleSet }: Here) => client.createJitConfig(scaleSet, 'linux-1', call);
const fail = (operation: string, status: number, body: string) => (at: Here) =>
  at.github.setFault({ operation, kind: 'status', status, body, times: 5 });

/** A kind of refusal: how the service comes to it, what is asked, and what whoever asked is told. */
interface Row {
  readonly row: string;
  readonly prepare: (at: Here) => unknown;
  readonly ask: (at: Here) => Promise<unknown>;
  readonly code: string;
  readonly says: RegExp;
  readonly cure: RegExp;
  readonly refusal?: string;
}

const ROWS: readonly Row[] = [
  {
    row: 'row 1: AgentExistsException, 409 to a registration',
    prepare: register,
    ask: register,
    code: 'busy',
    says: /^a runner "linux-1" is registered already$/,
    cure: /another name, or remove the registration/,
  },
  {
    row: 'row 2: AgentNotFoundException, 404 to a look-up',
    prepare: fail('find-agent', 404, typed('AgentNotFoundException', 'No runner has the id 12.')),
    ask: ({ client }) => client.findRunner('linux-1', call),
    code: 'not_found',
    says: /answered 404 to GET .*agents: No runner has the id 12\./,
    cure: /registration is gone already/,
  },
  ...[400, 409].map((status) => ({
    row: `row 3: JobStillRunningException, ${status} to a removal`,
    prepare: fail('remove-agent', status, typed('JobStillRunningException', 'linux-1 is running a job.')),
    ask: ({ client }: Here) => client.removeRunner(12, call),
    code: 'busy',
    says: /linux-1 is running a job\./,
    cure: /until its job has ended/,
  })),
  {
    row: 'row 4: RunnerScaleSetSessionConflictException, 409 to a session',
    prepare: ({ github, scaleSet }) => github.holdSession(scaleSet.id, 'somebody'),
    ask: openSession,
    code: 'busy',
    says: /answered 409 .*sessions: .*already has an active session\. Current owner: somebody \(ActivityId /,
    cure: /Another listener holds the session/,
    refusal: 'conflict',
  },
  ...Object.entries({ session: openSession, registration: register }).map(([what, ask]) => ({
    row: `row 5: RunnerScaleSetNotFoundException, 404 to a ${what}`,
    prepare: ({ github, scaleSet }: Here) => github.purgeScaleSet(scaleSet.id),
    ask,
    code: 'not_found',
    says: /answered 404 .*No runner scale set found with identifier \d+\. \(ActivityId /,
    cure: /look it up by its name, and create it again/,
    refusal: 'scale_set_gone',
  })),
  {
    row: 'row 6: RunnerScaleSetExistsException, 400 to a creation of what cannot be found',
    prepare: fail(
      'create-scale-set',
      400,
      typed('RunnerScaleSetExistsException', "'gpu' already exists in 'Default'."),
    ),
    ask: ({ client }) => client.createScaleSet('gpu', 'Default', ['gpu'], call),
    code: 'invalid_argument',
    says: /answered 400 .*'gpu' already exists in 'Default'\./,
    cure: /choose another name/,
    refusal: 'refused',
  },
  {
    row: 'row 7: 401 to a call of the service, twice',
    prepare: fail('find-agent', 401, 'whatever'),
    ask: ({ client }) => client.findRunner('linux-1', call),
    code: 'invalid_argument',
    says: /answered 401 .*: whatever/,
    cure: /a token that it had just given out/,
    refusal: 'unauthorized',
  },
  {
    row: 'RunnerGroupNotFoundException, 400 to a creation',
    prepare: fail('create-scale-set', 400, typed('RunnerGroupNotFoundException', 'No runner group 9.')),
    ask: ({ client }) => client.createScaleSet('gpu', 'Default', [], call),
    code: 'invalid_argument',
    says: /No runner group 9\./,
    cure: /Create the runner group/,
    refusal: 'refused',
  },
];

describe('the error table', () => {
  test.each(ROWS)('$row', async ({ prepare, ask, code, says, cure, refusal }) => {
    await prepare(here);
    const error = await failing(ask(here));
    expect(error).toMatchObject({
      code,
      message: expect.stringMatching(says),
      hint: expect.stringMatching(cure),
    });
    if (refusal !== undefined) expect(client.refusalOf(error)).toBe(refusal);
  });

  test('row 2: AgentNotFoundException to a removal is a removal', async () => {
    fail('remove-agent', 404, typed('AgentNotFoundException', 'No runner has the id 12.'))(here);
    await expect(client.removeRunner(12, call)).resolves.toBeUndefined();
  });

  test.each([
    ['by its name', typed('RunnerScaleSetExistsException', 'no')],
    ['by its words', typed('SomeException', "A scale set 'linux' already exists in the group.")],
  ])('row 6: a name that is taken, told %s, leads to the scale set that has it', async (_, body) => {
    fail('create-scale-set', 400, body)(here);
    expect(await client.createScaleSet('linux', 'Default', [], call)).toMatchObject({ id: here.scaleSet.id });
  });

  test.each(['get-message', 'delete-message', 'acquire-jobs'])(
    'row 7: 401 to %s renews the session whatever its body says, and nothing is lost',
    async (operation) => {
      github.settings.personality = 'acquire';
      const session = await openSession(here);
      github.setFault({ operation, kind: 'text', status: 401, body: 'RunnerScaleSetNotFoundException' });
      github.queueJob({ labels: ['linux'] });
      const refreshed = github.counts.get('refresh-session') ?? 0;
      const stop = new AbortController();
      const handler = { onStatistics() {}, onJobStarted() {}, onJobCompleted() {} };
      const listening = session.listen(handler, { signal: stop.signal, capacity: () => 3 }).catch(() => {});
      await github.until(() => github.jobs().at(-1)?.state === 'assigned');
      await github.until(() => github.sessions()[0]?.polling === true);
      stop.abort(new Error('done'));
      await listening;
      await session.close();
      github.settings.personality = 'direct';
      expect((github.counts.get('refresh-session') ?? 0) - refreshed).toBe(1);
    },
  );
});

describe('the body of an error', () => {
  const asked = async (fault: { status?: number; body?: string; contentType?: string }): Promise<unknown> => {
    github.setFault({ operation: 'find-agent', kind: 'status', status: 400, ...fault });
    return failing(client.findRunner('a', call));
  };

  test.each([
    ['1: that is absent', { body: '' }, 'answered 400 to GET /_apis/distributedtask/pools/0/agents: no explanation'],
    ['2: in plain text', { body: 'go\n away ', contentType: 'text/plain' }, 'agents: go away'],
    ['2: in plain text that looks like JSON', { body: '{"message":"no"}', contentType: 'text/plain' }, 'agents: no'],
    ['3: in JSON', { body: typed('OddException', 'not like this') }, 'agents: not like this'],
    ['3: in JSON with a byte order mark', { body: `\uFEFF${typed('OddException', 'nor so')}` }, 'agents: nor so'],
    ['3: in JSON that is cut off', { body: '{"message":"no' }, 'agents: {"message":"no'],
    ['3: in JSON without words', { body: typed('OddException', '') }, 'agents: GitHub.Some.Where.OddException'],
    ['3: in JSON with other letters', { body: '{"TYPENAME":"a","MESSAGE":"loud"}' }, 'agents: loud'],
    ['3: that is a page', { body: '<html><title>502 Bad</title></html>', contentType: 'text/html' }, 'agents: 502 Bad'],
  ])('%s', async (_, fault, words) => {
    expect(await asked(fault)).toMatchObject({ message: expect.stringContaining(words) });
  });

  test('4: names its kind within a long name', async () => {
    const body = JSON.stringify({ typeName: 'A.B.RunnerScaleSetSessionConflictException, A.B', message: 'no' });
    expect(client.refusalOf(await asked({ status: 400, body }))).toBe('conflict');
  });

  test('of the REST API: its message, cut to 512 characters, with the id of the request', async () => {
    const body = JSON.stringify({ message: 'x'.repeat(2_000), documentation_url: 'https://docs.github.com/rest' });
    const headers = { 'x-github-request-id': 'ABCD:123' };
    github.setFault({ operation: 'list-runners', kind: 'status', status: 422, body, headers });
    const error = await failing(client.runnerStatuses({ ...call, begunAfter: 0 }));
    expect(error).toMatchObject({
      message: `GitHub answered 422 to GET /orgs/acme/actions/runners: ${'x'.repeat(512)}... (X-GitHub-Request-Id ABCD:123)`,
    });
  });
});
