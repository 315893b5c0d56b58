import type { PoolOptions } from '../../pool.js';
import { amountOf, DNS_SUBDOMAIN, fits, QUANTITY, refuse, shown, textOf } from '../forms.js';
import type { Gathered } from '../gather.js';

type Resources = Pick<
  PoolOptions,
  | 'image'
  | 'imagePullSecrets'
  | 'cpu'
  | 'memory'
  | 'cpuLimit'
  | 'ephemeralStorage'
  | 'machineCpu'
  | 'concurrency'
  | 'storage'
  | 'storageClass'
  | 'replicas'
>;

/** What a worker runs in, and what it asks of the machine. */
export function readResources(gathered: Gathered, counts: readonly number[]): Resources {
  const cpu = textOf(gathered, 'cpu', QUANTITY, '7');
  const cpuLimit = textOf(gathered, 'cpuLimit', QUANTITY, undefined);
  const ephemeralStorage = textOf(gathered, 'ephemeralStorage', QUANTITY, undefined);
  const machineCpu = textOf(gathered, 'machineCpu', QUANTITY, undefined);
  const storageClass = textOf(gathered, 'storageClass', DNS_SUBDOMAIN, undefined);
  const concurrency = gathered.input.concurrency ?? 1;
  checkFit(gathered, { cpu, machineCpu, concurrency });
  checkLimit(gathered, cpu, cpuLimit);
  return {
    image: readImage(gathered),
    imagePullSecrets: readPullSecrets(gathered),
    cpu,
    memory: textOf(gathered, 'memory', QUANTITY, '24Gi'),
    concurrency,
    storage: textOf(gathered, 'storage', QUANTITY, '50Gi'),
    ...(cpuLimit !== undefined && { cpuLimit }),
    ...(ephemeralStorage !== undefined && { ephemeralStorage }),
    ...(machineCpu !== undefined && { machineCpu }),
    ...(storageClass !== undefined && { storageClass }),
    ...readReplicas(gathered, counts),
  };
}

const IMAGE =
  /^(?:[a-zA-Z0-9](?:[a-zA-Z0-9.-]*[a-zA-Z0-9])?(?::[0-9]+)?\/|\[[0-9a-fA-F:.]+\](?::[0-9]+)?\/)?[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*)*(?::([A-Za-z0-9_][A-Za-z0-9_.-]{0,127}))?(@[a-z0-9]+(?:[.+_-][a-z0-9]+)*:[0-9a-fA-F]{32,})?$/;

function readImage(gathered: Gathered): string {
  const { image } = gathered.input;
  if (image === undefined) {
    if (gathered.wrong.has('image')) return '';
    return (
      gathered.report('image', {
        code: 'OPTION_MISSING',
        found: 'none',
        allowed: 'an image with dispat, git and what the builds call',
        fix: 'write it like registry.example.com/release/worker:1',
      }) ?? ''
    );
  }
  const match = image.length <= 512 ? IMAGE.exec(image) : null;
  if (match === null) {
    gathered.report('image', {
      code: 'OPTION_INVALID',
      found: shown(image),
      allowed: 'an image reference: host, path in lower case, tag or digest',
      fix: 'write it like registry.example.com/release/worker:1',
    });
    return image;
  }
  const [, tag, digest] = match;
  if (digest === undefined && (tag === undefined || tag === 'latest')) {
    gathered.report('image', {
      code: 'IMAGE_FLOATING',
      severity: 'warning',
      found: tag === undefined ? 'no tag' : 'the tag latest',
      allowed: 'any, but the workers of one release may then run different images',
      fix: 'name a tag that stays, or a digest',
    });
  }
  return image;
}

function readPullSecrets(gathered: Gathered): readonly string[] {
  const names = gathered.input.imagePullSecrets ?? [];
  for (const name of names) if (!fits(name, DNS_SUBDOMAIN)) refuse(gathered, 'imagePullSecrets', DNS_SUBDOMAIN, name);
  return names;
}

function checkFit(
  gathered: Gathered,
  { cpu, machineCpu, concurrency }: { cpu: string; machineCpu: string | undefined; concurrency: number },
): void {
  const wanted = amountOf(cpu);
  const machine = machineCpu === undefined ? undefined : amountOf(machineCpu);
  if (machine !== undefined && wanted > machine) {
    gathered.report('cpu', {
      code: 'OPTIONS_CONFLICT',
      found: `${cpu}, on machines of ${machineCpu}`,
      allowed: 'at most what a machine has, less what the system keeps: no pod would ever start',
      fix: 'write a little less than the machine has',
    });
  } else if (machine !== undefined && wanted < machine / 2) {
    gathered.report('cpu', {
      code: 'OPTION_QUESTIONABLE',
      severity: 'warning',
      found: `${cpu}, on machines of ${machineCpu}`,
      allowed: 'any, but several pods then share a machine, and a pending pod does not mean a new one',
      fix: 'write a little less than the machine has',
    });
  }
  const whole = machine === undefined ? wanted >= 4 : wanted >= machine / 2;
  if (concurrency > 1 && whole) {
    gathered.report('concurrency', {
      code: 'OPTION_QUESTIONABLE',
      severity: 'warning',
      found: `${concurrency}, with a request of ${cpu} CPUs`,
      allowed: 'any, but a build usually takes every core it finds: two on one machine starve each other',
      fix: 'write 1, and more workers',
    });
  }
}

function checkLimit(gathered: Gathered, cpu: string, cpuLimit: string | undefined): void {
  if (cpuLimit === undefined) return;
  if (amountOf(cpuLimit) < amountOf(cpu)) {
    gathered.report('cpuLimit', {
      code: 'OPTIONS_CONFLICT',
      found: `${cpuLimit}, below the request of ${cpu}`,
      allowed: 'at least the request',
      fix: 'leave it out',
    });
    return;
  }
  gathered.report('cpuLimit', {
    code: 'OPTION_QUESTIONABLE',
    severity: 'warning',
    found: cpuLimit,
    allowed: 'any, but a limit throttles a build even when the machine is idle',
    fix: 'leave it out',
  });
}

function readReplicas(gathered: Gathered, counts: readonly number[]): { replicas?: number } {
  const { replicas, variation } = gathered.input;
  if (variation !== 'statefulset') {
    if (replicas !== undefined) {
      gathered.report('replicas', {
        code: 'OPTIONS_CONFLICT',
        found: `${replicas}, for a Job`,
        allowed: 'it beside variation statefulset alone',
        fix: 'leave it out, and say count',
      });
    }
    return {};
  }
  if (replicas !== undefined && replicas !== 0 && counts.some((count) => count !== replicas)) {
    gathered.report('replicas', {
      code: 'OPTIONS_CONFLICT',
      found: `${replicas}, for a list of ${counts.join(' and ')} workers`,
      allowed: `${counts.join(' and ')}, or 0 while it rests: every listed worker has to answer`,
      fix: 'leave it out',
    });
  }
  return replicas === undefined ? {} : { replicas };
}
