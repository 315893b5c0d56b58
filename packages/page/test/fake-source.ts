import { EVENT_ACTIONS, type EventAction, type JobFacts, RungarError, type RungarEvent } from '@rungar/model';
import type { PageSource, PageStatus, ProviderFacts, ScaleSetFacts } from '../src/source.js';

export const NINE = Date.UTC(2027, 0, 4, 9, 0, 0);

export function scaleSet(name: string, more: Partial<ScaleSetFacts> = {}): ScaleSetFacts {
  return {
    name,
    providers: ['rack'],
    minRunners: 0,
    maxRunners: 10,
    phase: 'listening',
    phaseSince: NINE,
    paused: false,
    role: 'follower',
    machineHours: 0,
    versions: [],
    counts: { starting: 0, idle: 0, busy: 0 },
    countsByProvider: {},
    creating: 0,
    suspects: 0,
    waitingJobs: [],
    holdingBackReason: '',
    ...more,
  };
}

export function provider(name: string, more: Partial<ProviderFacts> = {}): ProviderFacts {
  return {
    name,
    type: 'dicer',
    endpoint: `unix:///run/${name}.sock`,
    maxRunners: 0,
    runnerCount: 0,
    disabled: false,
    machineHours: 0,
    reachable: true,
    scaleSets: [],
    slowed: [],
    undeletable: [],
    ...more,
  };
}

export function waitingJob(jobId: string, more: Partial<JobFacts> = {}): JobFacts {
  return {
    jobId,
    runnerRequestId: 0,
    owner: 'acme',
    repository: 'web',
    workflowRef: '',
    displayName: '',
    workflowRunId: 0,
    eventName: '',
    requestLabels: [],
    ...more,
  };
}

export function event(
  action: EventAction,
  name: string,
  time: number,
  attributes?: Readonly<Record<string, string>>,
): RungarEvent {
  return {
    ...{ time, kind: EVENT_ACTIONS[action], name, action },
    ...(EVENT_ACTIONS[action] === 'runner' && { scaleSet: 'vm', provider: 'rack' }),
    message: `${name} ${action}`,
    ...(attributes && { attributes }),
  };
}

/** A fleet that is as it was told to be. */
export interface FakeSource extends PageSource {
  current: PageStatus;
  readonly kept: RungarEvent[];
  /** How many follow its events. */
  readonly followers: number;
  happen(...events: readonly RungarEvent[]): void;
  /** Tells every follower that it fell behind. */
  loseFollowers(): void;
  /** No event comes any more. */
  endEvents(): void;
}

interface Ear {
  readonly heard: RungarEvent[];
  state: 'listening' | 'lost' | 'ended';
  wake(): void;
}

export function fakeSource(current: PageStatus, kept: RungarEvent[] = []): FakeSource {
  const ears = new Set<Ear>();
  const wakeAll = (state?: Ear['state']): void => {
    for (const ear of ears) {
      if (state) ear.state = state;
      ear.wake();
    }
  };
  async function* hear(ear: Ear, signal: AbortSignal): AsyncGenerator<RungarEvent> {
    signal.addEventListener('abort', () => ear.wake());
    try {
      for (;;) {
        const next = ear.heard.shift();
        if (signal.aborted || ear.state === 'ended') return;
        if (ear.state === 'lost') throw new RungarError('unavailable', 'fell behind');
        if (next) yield next;
        else await new Promise<void>((resolve) => (ear.wake = resolve));
      }
    } finally {
      ears.delete(ear);
    }
  }
  const source: FakeSource = {
    current,
    kept,
    get followers() {
      return ears.size;
    },
    status: () => source.current,
    recentEvents: () => kept,
    followEvents(signal) {
      const ear: Ear = { heard: [], state: 'listening', wake() {} };
      ears.add(ear);
      return { history: [...kept], coming: hear(ear, signal) };
    },
    happen(...events) {
      kept.push(...events);
      for (const ear of ears) ear.heard.push(...events);
      wakeAll();
    },
    loseFollowers: () => wakeAll('lost'),
    endEvents: () => wakeAll('ended'),
  };
  return source;
}
