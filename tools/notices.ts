import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Options } from 'tsup';

// A build runs in its package's folder.
const LICENCES = '../../tools/licences';

type Plugin = NonNullable<Options['esbuildPlugins']>[number];

interface Manifest {
  readonly name?: string;
  readonly version?: string;
  readonly license?: string;
}

/**
 * Writes `dist/THIRD-PARTY-NOTICES.txt`: the licence of every package whose code is bundled into ours, as those licences
 * ask. Nothing is written where nothing is bundled.
 * @throws Error when a bundled package brings no licence of its own and we keep no text of the one it names
 */
export function notices(): Plugin {
  return {
    name: 'third-party-notices',
    setup(build) {
      build.onEnd(({ metafile }) => {
        const files = Object.keys(metafile?.inputs ?? {}).filter((file) => file.includes('/node_modules/'));
        const folders = [...new Set(files.map(packageFolder))].sort((a, b) => nameOf(a).localeCompare(nameOf(b)));
        if (folders.length === 0) return;
        // tsup writes the output only after the plugins have run: in a fresh clone there is no folder yet.
        mkdirSync('dist', { recursive: true });
        writeFileSync('dist/THIRD-PARTY-NOTICES.txt', folders.map(notice).join('\n\n'));
      });
    },
  };
}

/** The nearest folder above a file whose manifest has a name: some packages keep a nameless manifest further in. */
function packageFolder(file: string): string {
  let folder = dirname(file);
  while (!existsSync(join(folder, 'package.json')) || readManifest(folder).name === undefined) folder = dirname(folder);
  return folder;
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
}

function nameOf(folder: string): string {
  const { name, version } = readManifest(folder);
  return `${name} ${version}`;
}

function notice(folder: string): string {
  return `${nameOf(folder)}\n\n${licenceTexts(folder).join('\n\n')}\n`;
}

function licenceTexts(folder: string): string[] {
  const own = readdirSync(folder).filter((name) => /^(licen[cs]e|copying|notice)/i.test(name));
  if (own.length > 0) return own.map((name) => readFileSync(join(folder, name), 'utf8').trim());
  const names = (readManifest(folder).license ?? '').replace(/[()]/g, '').split(' AND ');
  return names.map((name) => readFileSync(join(LICENCES, `${name}.txt`), 'utf8').trimEnd());
}
