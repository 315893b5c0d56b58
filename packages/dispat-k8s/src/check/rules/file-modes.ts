import type { KubeValue } from '../kube/value.js';
import { secretSources } from '../pools/secrets.js';
import { type Found, forPools, PAGE, type Rule } from '../rule.js';
import { effective, isNonRoot } from './security-context.js';

const LOOK_OCTAL = new Set([400, 440, 444, 600, 640, 644]);
const READ_FOR_OTHERS = 0o004;
const WRITE_FOR_GROUP_OR_OTHERS = 0o022;
/** What a volume's files get when nothing is said. */
const DEFAULT_MODE = 0o644;

export const fileModeRules: readonly Rule[] = [
  {
    id: 'DWM216',
    severity: 'error',
    title: 'the worker can read its key',
    why: 'Without fsGroup the files of a Secret belong to root with exactly their mode. At 0400 a user that is not root gets "permission denied", and the worker serves nothing while it keeps running. With fsGroup the group may read them, and ssh accepts that, because the file is not the reader\'s own.',
    when: "a mounted Secret's files are not readable for others, the container's user is not root, and the pod has no fsGroup",
    fix: "set fsGroup to the user's group in the pod's securityContext and keep the mode at 256 (octal 0400)",
    page: PAGE.secrets,
    find: forPools(function* ({ pod, worker, mounts }): Iterable<Found> {
      if (!isNonRoot(pod, worker) || pod.at('securityContext', 'fsGroup').exists) return;
      const user = effective(pod, worker, 'runAsUser').source;
      for (const { path, volume } of mounts) {
        const unreadable = secretSources(volume)
          .flatMap((secret) => modesOf(secret, volume))
          .find(({ mode }) => (mode & READ_FOR_OTHERS) === 0);
        if (unreadable === undefined) continue;
        const who = user === undefined ? 'a user that is not root' : `user ${user}`;
        yield {
          at: unreadable.at,
          message: `the files in ${path} belong to root with mode ${octal(unreadable.mode)}: ${who} cannot read them`,
        };
      }
    }),
  },
  {
    id: 'DWM217',
    severity: 'error',
    title: 'file modes in octal and decimal',
    why: 'A mode is a number, and 400 in decimal is 0620 in octal: writable for the group. Readers of YAML disagree about a leading zero, so decimal is the one safe way.',
    when: "a mode's decimal digits look like an octal one (400, 440, 444, 600, 640, 644), it is a text, or it gives the group or others the right to write",
    fix: 'write the mode in decimal: 256 for 0400, 288 for 0440, 292 for 0444, 384 for 0600, 416 for 0640, 420 for 0644',
    page: PAGE.secrets,
    find: forPools(function* ({ pod }): Iterable<Found> {
      for (const at of pod.at('volumes').items.flatMap(writtenModes)) {
        const mode = at.number;
        const meant = /^[0-7]{3,4}$/.test(at.source ?? '') ? Number.parseInt(at.source ?? '', 8) : undefined;
        const cure = meant === undefined ? {} : { fix: `write ${meant}, which is ${octal(meant)} in octal` };
        if (mode === undefined)
          yield {
            at,
            ...cure,
            message: `the mode ${JSON.stringify(at.source ?? '')} is a text: the API wants a number${meant === undefined ? '' : `, ${meant} in decimal`}`,
          };
        else if (LOOK_OCTAL.has(mode))
          yield {
            at,
            ...cure,
            message: `the mode ${mode} is ${octal(mode)} in octal; ${meant} is ${octal(meant ?? 0)}`,
          };
        else if ((mode & WRITE_FOR_GROUP_OR_OTHERS) !== 0)
          yield { at, message: `the mode ${octal(mode)} lets others than the owner write` };
      }
    }),
  },
];

/** The modes of a Secret's files, each with where it is said. */
function modesOf(secret: KubeValue, volume: KubeValue): readonly { readonly mode: number; readonly at: KubeValue }[] {
  const shared =
    [secret.at('defaultMode'), volume.at('projected', 'defaultMode')].find((at) => at.exists) ??
    secret.at('defaultMode');
  const common = { mode: shared.number ?? DEFAULT_MODE, at: shared };
  const items = secret.at('items').items;
  if (items.length === 0) return [common];
  return items.map((item) =>
    item.at('mode').exists ? { mode: item.at('mode').number ?? DEFAULT_MODE, at: item.at('mode') } : common,
  );
}

const WITH_MODES = ['secret', 'configMap', 'projected', 'downwardAPI'];

/** Every mode a volume states. */
function writtenModes(volume: KubeValue): readonly KubeValue[] {
  const direct = WITH_MODES.map((kind) => volume.at(kind));
  const projected = volume
    .at('projected', 'sources')
    .items.flatMap((source) => WITH_MODES.map((kind) => source.at(kind)));
  return [...direct, ...projected]
    .flatMap((source) => [source.at('defaultMode'), ...source.at('items').items.map((item) => item.at('mode'))])
    .filter((at) => at.exists);
}

function octal(mode: number): string {
  return `0${mode.toString(8).padStart(3, '0')}`;
}
