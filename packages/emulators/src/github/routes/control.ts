import type { ManualClock } from '../../clock.js';
import type { Fault } from '../../faults.js';
import type { JobResult } from '../../machine/runner-client.js';
import { type EmulatedAnswer, type EmulatedRequest, json, type Route } from '../../server.js';
import { type Members, readMembers } from '../body.js';
import type { GitHubControls, NewScaleSetOptions } from '../emulator.js';
import type { NewJob } from '../jobs.js';
import { restError, restRefusal } from '../refusals.js';
import { DEFAULT_SETTINGS, type GitHubSettings } from '../settings.js';

const CONTROL = '/_control';
const JOB_MEMBERS = ['repository', 'workflow', 'labels', 'seconds', 'name', 'runId', 'fail', 'count'];
const SCALE_SET_MEMBERS = ['scope', 'name', 'runnerGroup', 'labels'];
const RESULTS: readonly JobResult[] = ['succeeded', 'failed', 'canceled'];
const PERSONALITIES = ['direct', 'acquire'] as const;
const FAULT_KINDS: readonly Fault['kind'][] = [
  ...(['status', 'text', 'html', 'reset', 'lost', 'hang', 'slow', 'empty', 'bom', 'special'] as const),
];
const FAULT_MEMBERS = [
  ...['operation', 'kind', 'status', 'headers', 'body', 'contentType', 'retryAfter'],
  ...['delayMs', 'special', 'skip', 'times', 'rate'],
];
const TOKEN_KINDS = ['installation', 'admin', 'queue'] as const;
const MAX_JOBS = 100_000;

/** The emulator's methods over HTTP, for another process. No credential is asked for: it listens on loopback only. */
export function controlRoutes(control: GitHubControls, clock: ManualClock | undefined): Route[] {
  const call = (
    method: string,
    path: string,
    handle: (request: EmulatedRequest) => EmulatedAnswer | Promise<EmulatedAnswer>,
    query: readonly string[] = [],
  ): Route => ({
    operation: 'control',
    own: true,
    method,
    path: `${CONTROL}/${path}`,
    query,
    takesBody: method === 'POST',
    refuse: ({ status, message }) => restError(status, message),
    handle,
  });
  /** What lets the sessions go that were opened here for somebody else, by scale set. */
  const held = new Map<string, () => void>();
  return [
    call('GET', 'settings', () => json(200, control.settings)),
    call('POST', 'settings', ({ body }) => {
      changeSettings(control.settings, body);
      return { status: 204 };
    }),
    call('GET', 'jobs', () => json(200, { jobs: control.jobs() })),
    call('POST', 'jobs', ({ body }) => json(201, { jobs: control.queueJobs(readJobs(body)) })),
    call('POST', 'jobs/:id/cancel', ({ params }) => done(() => control.cancelJob(params.id ?? ''))),
    call('POST', 'jobs/:id/finish', ({ params, body }) => {
      const given = readMembers(body, ['result'], wrong).text('result');
      const result = RESULTS.find((known) => known === given);
      if (!result) throw wrong(`result is ${given}; one of ${RESULTS.join(', ')} is wanted`);
      return done(() => control.finishJob(params.id ?? '', result));
    }),
    call('GET', 'runners', () => json(200, { runners: control.runners() })),
    call('POST', 'runners', ({ body }) => {
      const members = readMembers(body, ['encodedJitConfig', 'bootMs'], wrong);
      control.startRunner(members.text('encodedJitConfig'), { bootMs: members.optionalNumber('bootMs') ?? 0 });
      return { status: 204 };
    }),
    call('POST', 'runners/:name/disconnect', ({ params }) => done(() => control.disconnectRunner(params.name ?? ''))),
    call('POST', 'scale-sets', ({ body }) => {
      const scaleSet = readScaleSet(body);
      return done(() => void control.addScaleSet(scaleSet));
    }),
    call('POST', 'scale-sets/:id/hold', ({ params: { id = '' }, body }) => {
      const ownerName = readMembers(body, ['ownerName'], wrong).text('ownerName');
      return done(() => void held.set(id, control.holdSession(Number(id), ownerName)));
    }),
    call('DELETE', 'scale-sets/:id/hold', ({ params: { id = '' } }) => {
      const release = held.get(id);
      if (!release) return restError(404, `nobody holds the session of the scale set ${id}`);
      held.delete(id);
      release();
      return { status: 204 };
    }),
    call('GET', 'scale-sets', () => json(200, { scaleSets: control.scaleSets() })),
    call('POST', 'scale-sets/:id/purge', ({ params }) => done(() => control.purgeScaleSet(Number(params.id)))),
    call('POST', 'sessions/:id/end', ({ params }) => done(() => control.endSession(params.id ?? ''))),
    call('GET', 'sessions', () => json(200, { sessions: control.sessions() })),
    call('POST', 'apps', async () => json(201, await control.createApp())),
    call('POST', 'tokens', () => json(201, { token: control.createToken() })),
    call('POST', 'tokens/:kind/expire', ({ params }) => {
      const kind = TOKEN_KINDS.find((known) => known === params.kind);
      if (!kind) throw wrong(`there are the tokens ${TOKEN_KINDS.join(', ')}, not ${params.kind}`);
      control.expireTokens(kind);
      return { status: 204 };
    }),
    call('POST', 'faults', ({ body }) => done(() => control.setFault(readFault(body)))),
    call('DELETE', 'faults', ({ query }) => done(() => control.clearFaults(query.get('operation') ?? undefined)), [
      'operation',
    ]),
    call('POST', 'clock/advance', ({ body }) => {
      if (!clock) throw wrong('the emulator runs on real time');
      clock.advance(readMembers(body, ['ms'], wrong).optionalNumber('ms') ?? 0);
      return { status: 204 };
    }),
  ];
}

function wrong(message: string): Error {
  return restRefusal(400, message);
}

/** Does something that throws a RangeError when its object does not exist. */
function done(act: () => void): EmulatedAnswer {
  try {
    act();
  } catch (error) {
    if (error instanceof RangeError) return restError(404, error.message);
    throw error;
  }
  return { status: 204 };
}

function readJobs(body: string): NewJob[] {
  const members = readMembers(body, JOB_MEMBERS, wrong);
  const count = members.optionalInteger('count') ?? 1;
  if (count < 1 || count > MAX_JOBS) throw wrong(`count is from 1 to ${MAX_JOBS}`);
  const job: NewJob = {
    labels: textList(members, 'labels'),
    ...defined('repository', members.optionalText('repository')),
    ...defined('workflow', members.optionalText('workflow')),
    ...defined('seconds', members.optionalNumber('seconds')),
    ...defined('name', members.optionalText('name')),
    ...defined('runId', members.optionalInteger('runId')),
    ...defined('fail', members.optionalBoolean('fail')),
  };
  return Array.from({ length: count }, () => job);
}

function readScaleSet(body: string): NewScaleSetOptions {
  const members = readMembers(body, SCALE_SET_MEMBERS, wrong);
  return {
    name: members.text('name'),
    ...defined('scope', members.optionalText('scope')),
    ...defined('runnerGroup', members.optionalText('runnerGroup')),
    ...(members.optionalList('labels') && { labels: textList(members, 'labels') }),
  };
}

/** Takes the settings that are given, all of them or, where one is wrong, none. */
function changeSettings(settings: GitHubSettings, body: string): void {
  const members = readMembers(body, Object.keys(DEFAULT_SETTINGS), wrong);
  const given = members.optionalText('personality');
  const personality = PERSONALITIES.find((known) => known === given);
  if (given !== undefined && !personality) {
    throw wrong(`there are the personalities ${PERSONALITIES.join(', ')}, not ${given}`);
  }
  const numbers = Object.entries(DEFAULT_SETTINGS).flatMap(([name, usual]) => {
    if (typeof usual !== 'number') return [];
    const value = members.optionalNumber(name);
    return value === undefined ? [] : [[name, value] as const];
  });
  Object.assign(settings, Object.fromEntries(numbers), {
    ...defined('personality', personality),
    ...defined('singleLabel', members.optionalBoolean('singleLabel')),
    ...defined('capitalMembers', members.optionalBoolean('capitalMembers')),
  });
}

function readFault(body: string): Fault {
  const members = readMembers(body, FAULT_MEMBERS, wrong);
  const given = members.text('kind');
  const kind = FAULT_KINDS.find((known) => known === given);
  if (!kind) throw wrong(`there are the faults ${FAULT_KINDS.join(', ')}, not ${given}`);
  return {
    operation: members.text('operation'),
    kind,
    ...defined('status', members.optionalInteger('status')),
    ...defined('headers', members.optionalTexts('headers')),
    ...defined('body', members.optionalText('body')),
    ...defined('contentType', members.optionalText('contentType')),
    ...defined('retryAfter', members.optionalText('retryAfter')),
    ...defined('delayMs', members.optionalNumber('delayMs')),
    ...defined('special', members.optionalText('special')),
    ...defined('skip', members.optionalInteger('skip')),
    ...defined('times', members.optionalInteger('times')),
    ...defined('rate', members.optionalNumber('rate')),
  };
}

function textList(members: Members, name: string): readonly string[] {
  const list = members.optionalList(name) ?? [];
  if (list.length === 0 || !list.every((value) => typeof value === 'string')) {
    throw wrong(`the member ${name} is not an array of strings with at least one in it`);
  }
  return list;
}

function defined<Name extends string, Value>(name: Name, value: Value | undefined): { [N in Name]?: Value } {
  return value === undefined ? {} : ({ [name]: value } as { [N in Name]: Value });
}
