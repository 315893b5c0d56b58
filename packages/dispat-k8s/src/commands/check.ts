import type { Command } from '../command.js';
import { CLUSTER_FLAGS } from './cluster-flags.js';

const text = (describe: string) => ({ type: 'string', requiresArg: true, describe }) as const;
const texts = (describe: string) => ({ ...text(describe), array: true }) as const;
const flag = (describe: string) => ({ type: 'boolean', describe }) as const;

/** `check`: which rules the pools in some manifests break. */
export const checkCommand: Command = {
  name: 'check [files..]',
  describe: 'check manifests of a pool against a dispat configuration',
  usage:
    '$0 check [files..] [options]\n\nReads YAML, JSON, folders, or standard input. Needs no cluster, unless --live reads one.',
  positionals: {
    files: { type: 'string', array: true, describe: 'manifests and folders of them; - is standard input' },
  },
  formats: ['text', 'json', 'sarif'],
  flags: {
    'dispat-config': text("the orchestrator's dispat configuration: JSON, YAML or TOML"),
    worker: texts("NAME=ENDPOINT, as the release's own --worker flags"),
    plan: text('what `dispat status --log-format json` printed'),
    durations: text('JSON with the durations of builds and publishes, as for size'),
    'release-secret': texts('a Secret the release job uses, which workers must not'),
    'build-secret': texts('a Secret or a variable that builds really need'),
    'machine-cpu': text('the cores of the machines the pods are for'),
    machines: text('how many machines there can be'),
    'release-remote': text("the release's own remote, for links without an endpoint"),
    'image-contents': text("paths in the worker's image and lines of its /etc/passwd"),
    'spot-label': texts('KEY or KEY=VALUE: one more label of machines that may be taken away'),
    kube: text("the cluster's version, such as 1.32, for what depends on it"),
    karpenter: flag('Karpenter adds and removes the machines'),
    'policy-elsewhere': flag('the NetworkPolicy is applied with something else'),
    'refs-protected': flag("the mailbox's key cannot write branches and tags of the release"),
    disable: texts('a rule to leave out'),
    severity: texts('RULE=error|warning|info, in place of its own'),
    'fail-on': text('exit 1 from this level on: error, warning, info or never (error)'),
    live: flag("check what a cluster's namespace holds, in place of files"),
    namespace: text('with --live: that namespace (release)'),
    ...CLUSTER_FLAGS,
  },
  async run(args, world) {
    const { runCheck } = await import('../check/run-check.js');
    return runCheck(args, world, checkCommand);
  },
};
