import type { Benchmark } from '../benchmark.js';
import { importing, installed, startOf } from '../programs.js';
import { validation } from './configuration.js';
import { statusCommand } from './status-command.js';

export const startUp: Benchmark = {
  id: 'P37',
  kind: 'real',
  what: 'a command from start to end ÷ node -e 0',
  measurements: [
    startOf(
      'rungar --version',
      (lab) => ({ file: installed(lab, 'rungar'), args: ['--version'], prints: /^\d+\.\d+\.\d+/ }),
      { target: 1.15, bar: 1.4 },
    ),
    startOf(
      'rungar --help',
      (lab) => ({ file: installed(lab, 'rungar'), args: ['--help'], prints: /\bserve\b[\s\S]*\bstatus\b/ }),
      { target: 1.9, bar: 2.4 },
    ),
    startOf(
      'dispat-worker-manifest --help',
      (lab) => ({ file: installed(lab, 'dispat-worker-manifest'), args: ['--help'], prints: /dispat-worker-manifest/ }),
      { target: 1.9, bar: 2.4 },
    ),
    statusCommand,
    validation,
  ],
};

/** What each package's main entry may cost; those without limits are shown for interest. */
export const ENTRIES: readonly (readonly [name: string, limits: { target?: number; bar?: number }])[] = [
  ['@rungar/labels', { target: 1.05, bar: 1.15 }],
  ['@rungar/reconciler', { target: 1.3, bar: 1.6 }],
  ['@rungar/model', {}],
  ['@rungar/yaml-source', {}],
  ['@rungar/proxies', {}],
  ['@rungar/config', {}],
  ['@rungar/github', {}],
  ['@rungar/providers', {}],
  ['@rungar/daemon', {}],
  ['@rungar/dicer-api', {}],
  ['@rungar/page', {}],
  ['@rungar/emulators', {}],
  ['dispat-k8s', {}],
  ['rungar', {}],
];

export const imports: Benchmark = {
  id: 'P41',
  kind: 'real',
  what: "importing a package's entry ÷ node -e 0",
  measurements: ENTRIES.map(([name, limits]) => startOf(name, (lab) => importing(lab, name), limits)),
};
