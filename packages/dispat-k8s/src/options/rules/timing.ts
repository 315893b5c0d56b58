import type { Gathered } from '../gather.js';

export interface Timing {
  readonly preflight: number;
  readonly taskTimeout: number;
  readonly cancel: number;
  readonly gracePeriod: number;
  readonly idleTimeout: number;
  readonly ttl: number;
}

/** The waits, all in whole seconds. */
export function readTiming(gathered: Gathered): Timing {
  const { input } = gathered;
  const taskTimeout = input.taskTimeout ?? 3600;
  const preflight = input.preflight ?? 600;
  return {
    preflight,
    taskTimeout,
    cancel: input.cancel ?? 60,
    gracePeriod: readGracePeriod(gathered, taskTimeout),
    idleTimeout: readIdleTimeout(gathered, preflight),
    ttl: readTtl(gathered),
  };
}

function readGracePeriod(gathered: Gathered, taskTimeout: number): number {
  const { gracePeriod = taskTimeout } = gathered.input;
  if (gracePeriod >= taskTimeout || gathered.wrong.has('taskTimeout')) return gracePeriod;
  gathered.report('gracePeriod', {
    code: 'GRACE_TOO_SHORT',
    found: `${gracePeriod} s`,
    allowed: `at least the task timeout, ${taskTimeout} s: a shorter grace period kills a task with its pod`,
    fix: 'leave it out, which makes it as long as the task timeout',
  });
  return gracePeriod;
}

function readIdleTimeout(gathered: Gathered, preflight: number): number {
  const { variation = 'job', idleTimeout } = gathered.input;
  if (variation === 'statefulset') {
    if (idleTimeout !== undefined && idleTimeout > 0) {
      gathered.report('idleTimeout', {
        code: 'IDLE_FOR_STATEFULSET',
        found: `${idleTimeout} s`,
        allowed: '0: a StatefulSet starts again what exits, so the node would come back again and again',
        fix: 'leave it out, and scale the StatefulSet to 0 after the release',
      });
    }
    return 0;
  }
  if (idleTimeout === 0) {
    gathered.report('idleTimeout', {
      code: 'IDLE_ZERO_FOR_JOB',
      found: '0, serve for ever',
      allowed: 'at least 1: a Job whose pods never exit never finishes, and its machines stay',
      fix: 'leave it out, which makes it 900',
    });
  }
  const seconds = idleTimeout ?? 900;
  if (seconds > 0 && seconds < preflight) {
    gathered.report('idleTimeout', {
      code: 'OPTION_QUESTIONABLE',
      severity: 'warning',
      found: `${seconds} s, less than the preflight of ${preflight} s`,
      allowed: 'at least the preflight: a pod that came up early leaves before the last one answers',
      fix: `write ${preflight} or more`,
    });
  }
  return seconds;
}

function readTtl(gathered: Gathered): number {
  const ttl = gathered.input.ttl ?? 600;
  if (ttl < 60 && gathered.input.variation !== 'statefulset') {
    gathered.report('ttl', {
      code: 'OPTION_QUESTIONABLE',
      severity: 'warning',
      found: `${ttl} s`,
      allowed: 'a minute or more, so that the logs of a failed pod can still be read',
      fix: 'leave it out, which makes it 600',
    });
  }
  return ttl;
}
