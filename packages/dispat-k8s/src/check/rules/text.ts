import { readEndpoint, redactEndpoint } from '../../endpoint.js';
import { nodeNameFault } from '../../pool.js';
import { hasProgram } from '../image-contents.js';
import { isDialectDependent } from '../kube/scalars.js';
import type { KubeValue } from '../kube/value.js';
import { keyMounts } from '../pools/secrets.js';
import { type Found, forPools, type Hit, PAGE, type Rule } from '../rule.js';
import { needsSsh } from './agreement.js';
import { userOf } from './security-context.js';

const DEFAULT_KEYS = new Set(['id_rsa', 'id_ecdsa', 'id_ecdsa_sk', 'id_ed25519', 'id_ed25519_sk', 'id_dsa']);
const LONGEST_LABEL = 63;
/** A StatefulSet's name, with a revision's hash after it, is a label of its pods; a CronJob's has a time after it. */
const LONGEST_WITH_SUFFIX = 52;

export const textRules: readonly Rule[] = [
  {
    id: 'DWM604',
    severity: 'error',
    otherwise: ['warning'],
    title: 'an endpoint dispat accepts',
    why: 'dispat refuses anything but https, ssh and file URLs, absolute paths and host:path, and credentials in any of them.',
    when: "an endpoint breaks dispat's rule (error), or holds a character nothing valid needs (warning)",
    fix: 'write it like ssh://git@host/path.git, git@host:path.git or https://host/path.git',
    page: PAGE.embedding,
    *find(facts) {
      for (const pool of facts.pools) {
        const { execution, at } = pool.settings;
        if (execution?.endpoint !== undefined)
          for (const hit of endpointHits(execution.endpoint.value)) yield { pool, at, ...hit };
      }
      const [pool] = facts.pools;
      const seen = new Set<string>();
      for (const { endpoint, written } of facts.links ?? []) {
        if (endpoint === undefined || seen.has(endpoint)) continue;
        seen.add(endpoint);
        for (const hit of endpointHits(endpoint))
          yield { ...(pool && { pool }), ...(written && { place: written.place }), ...hit };
      }
    },
  },
  {
    id: 'DWM605',
    severity: 'error',
    title: 'a name dispat accepts',
    why: "A node's name becomes part of a branch's.",
    when: "a node's name, in a pod or in the list, has other characters than letters, digits, dot, underscore and hyphen, or two dots in a row",
    fix: 'choose another prefix',
    page: PAGE.embedding,
    *find(facts) {
      for (const pool of facts.pools) {
        const name = pool.nodeNames?.find((each) => nodeNameFault(each) !== undefined);
        if (name !== undefined)
          yield { pool, at: pool.settings.at, message: `the name ${JSON.stringify(name)} ${nodeNameFault(name)}` };
      }
      const [pool] = facts.pools;
      for (const { name, written } of facts.links ?? []) {
        const fault = nodeNameFault(name);
        if (fault !== undefined)
          yield {
            ...(pool && { pool }),
            ...(written && { place: written.place }),
            message: `the name ${JSON.stringify(name)} in the list ${fault}`,
          };
      }
    },
  },
  {
    id: 'DWM609',
    severity: 'warning',
    title: 'the key is where ssh looks',
    why: 'ssh takes the home folder from the passwd entry of its user, not from HOME.',
    when: "with --image-contents: the key is not mounted in the .ssh folder of that user's home, and GIT_SSH_COMMAND does not name it; or HOME is another folder than that home",
    fix: "mount the key in that home's .ssh folder, or name the file in GIT_SSH_COMMAND; set HOME to that home",
    page: PAGE.embedding,
    find: forPools(function* (pool, { resources, surroundings: { imageContents } }): Iterable<Found> {
      const uid = userOf(pool.pod, pool.worker);
      const home = uid === undefined ? undefined : imageContents?.homes.get(uid);
      if (home === undefined) return;
      const set = pool.settings.run?.variables.get('HOME');
      if (set !== undefined && set !== home) {
        const entry = pool.worker.at('env').items.find((each) => each.at('name').source === 'HOME');
        yield { at: entry ?? pool.settings.at, message: `HOME is ${set}, and the home of user ${uid} is ${home}` };
      }
      if (!needsSsh(pool)) return;
      const command = sshCommandOf(pool.settings.run?.variables);
      for (const { path, mount } of keyMounts(pool, resources)) {
        if (path !== `${home}/.ssh` && !command.includes(path))
          yield { at: mount, message: `the key is in ${path}, and ssh looks in ${home}/.ssh` };
      }
    }),
  },
  {
    id: 'DWM610',
    severity: 'warning',
    title: 'a key ssh tries',
    why: 'ssh tries a few file names on its own; ssh-privatekey, the key of a Secret of that type, is none of them.',
    when: "the files of the key's mount are known, none has a default name, and no GIT_SSH_COMMAND, core.sshCommand or ssh config names one",
    fix: 'call the Secret\'s key id_ed25519, map it with items, or set GIT_SSH_COMMAND="ssh -i …"',
    page: PAGE.embedding,
    find: forPools(function* (pool, { resources }): Iterable<Found> {
      if (
        !needsSsh(pool) ||
        sshCommandOf(pool.settings.run?.variables) !== '' ||
        mentions(pool.program?.script, 'core.sshCommand')
      )
        return;
      for (const { files, mount } of keyMounts(pool, resources)) {
        if (files === undefined || files.includes('config') || files.some((file) => DEFAULT_KEYS.has(file))) continue;
        yield { at: mount, message: `ssh does not try ${files.join(', ')} on its own` };
      }
    }),
  },
  {
    id: 'DWM611',
    severity: 'warning',
    otherwise: ['error'],
    title: 'the Git host is known',
    why: "The first connection asks to confirm the host's key, and nobody is there to answer. Not asking at all trusts whoever answers.",
    when: 'ssh is used and neither a known_hosts file nor a strict-host-key option is seen (warning), or StrictHostKeyChecking=no is set (error)',
    fix: 'put known_hosts into the Secret and name it, or into the image',
    page: PAGE.embedding,
    find: forPools(function* (pool, { resources, surroundings: { imageContents } }): Iterable<Found> {
      if (!needsSsh(pool)) return;
      const { settings, program } = pool;
      const said = `${sshCommandOf(settings.run?.variables)} ${program?.script ?? ''}`;
      if (/StrictHostKeyChecking[= ]+(?:no|off)\b/i.test(said)) {
        yield { at: settings.at, severity: 'error', message: 'StrictHostKeyChecking=no trusts whoever answers' };
        return;
      }
      const inMount = keyMounts(pool, resources).some(({ files }) => files?.includes('known_hosts'));
      const inImage =
        imageContents !== undefined &&
        (hasProgram(imageContents, 'ssh_known_hosts') || hasProgram(imageContents, 'known_hosts'));
      if (inMount || inImage || /UserKnownHostsFile|StrictHostKeyChecking[= ]+(?:yes|accept-new)/i.test(said)) return;
      yield { at: settings.at, message: "nothing tells ssh the Git host's key, and nobody can confirm it" };
    }),
  },
  {
    id: 'DWM612',
    severity: 'warning',
    title: 'text that every reader takes for text',
    why: 'Readers of YAML disagree about yes, on, 1e3, 0x10, 22:30 and the like without quotes. Where a text is wanted the API refuses what it gets.',
    when: 'such a word stands without quotes in a name, a label, an annotation, a selector or a variable',
    fix: 'put it in quotes',
    page: PAGE.embedding,
    find: forPools(function* ({ resource, template, pod }): Iterable<Found> {
      const texts = [
        ...textsOf(resource.root.at('metadata')),
        ...(template.pointer === '' ? [] : textsOf(template.at('metadata'))),
        ...pod.at('nodeSelector').entries.map(([, value]) => value),
      ];
      const variables = pod
        .at('containers')
        .items.flatMap((container) => container.at('env').items.map((entry) => entry.at('value')));
      for (const at of [...texts, ...variables]) {
        const { located } = at;
        // The safe-to-evict annotation has a rule of its own for this.
        if (located?.kind !== 'scalar' || located.quoted || at.pointer.endsWith('safe-to-evict')) continue;
        if (isDialectDependent(located.source))
          yield { at, message: `${located.source} without quotes is not text to every reader` };
      }
    }),
  },
  {
    id: 'DWM613',
    severity: 'error',
    title: 'a name that leaves room for the index',
    why: "A pod's name and its host name are labels, of 63 characters at most.",
    when: "a Job's name, a hyphen and the digits of the last index are more than 63 characters; a StatefulSet's or a CronJob's name is more than 52",
    fix: 'shorten the name',
    page: PAGE.embedding,
    find: forPools(function* ({ resource, count = 1, first }): Iterable<Found> {
      const at = resource.root.at('metadata', 'name');
      const { length } = at.source ?? '';
      const digits = String(first + Math.max(0, count - 1)).length;
      const most = resource.kind === 'Job' ? LONGEST_LABEL - 1 - digits : LONGEST_WITH_SUFFIX;
      if (resource.kind !== 'Pod' && length > most)
        yield { at, message: `a name of ${length} characters; with ${count} pods ${most} are the most` };
    }),
  },
];

function* endpointHits(endpoint: string): Iterable<Hit> {
  const { fault } = readEndpoint(endpoint);
  if (fault === undefined) return;
  yield {
    ...(fault.by === 'us' && { severity: 'warning' }),
    message: `the endpoint ${redactEndpoint(endpoint)} ${fault.reason}`,
  };
}

function sshCommandOf(variables: ReadonlyMap<string, string | undefined> | undefined): string {
  if (variables?.has('GIT_SSH_COMMAND') !== true) return '';
  return variables.get('GIT_SSH_COMMAND') ?? 'a command that is not known';
}

function mentions(text: string | undefined, word: string): boolean {
  return text?.includes(word) === true;
}

function textsOf(metadata: KubeValue): readonly KubeValue[] {
  const maps = ['labels', 'annotations'].flatMap((key) => metadata.at(key).entries.map(([, value]) => value));
  return [metadata.at('name'), metadata.at('namespace'), ...maps];
}
