import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Manifest {
  name: string;
  exports: Record<string, string | { default: string }>;
}

/** Where each workspace package's entry points have their source: exact names, so that a subpath is not cut short. */
export function sourceAliases(root: string): { find: RegExp; replacement: string }[] {
  const packages = join(root, 'packages');
  return readdirSync(packages).flatMap((folder) => {
    const manifest = JSON.parse(readFileSync(join(packages, folder, 'package.json'), 'utf8')) as Manifest;
    return Object.entries(manifest.exports).flatMap(([subpath, target]) => {
      if (typeof target === 'string') return [];
      const source = target.default.replace('./dist/', 'src/').replace(/\.js$/, '.ts');
      return [
        { find: new RegExp(`^${manifest.name}${subpath.slice(1)}$`), replacement: join(packages, folder, source) },
      ];
    });
  });
}
