// An empty project outside the workspace, with the tarballs installed into it as somebody would who has nothing else.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript';
import { entriesOf } from './pack.mjs';

/**
 * @param {string} folder where it is to be
 * @param {readonly import('./pack.mjs').Packed[]} packages
 * @param {object} more other dependencies, by name
 */
export function makeProject(folder, packages, more) {
  mkdirSync(folder, { recursive: true });
  const tarballs = Object.fromEntries(packages.map(({ name, tarball }) => [name, `file:${tarball}`]));
  const manifest = { name: 'consumer', private: true, type: 'module', dependencies: { ...tarballs, ...more } };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

/** Installs what the project names, from the registry that npm is configured with where it is not a tarball. */
export function install(folder, ...flags) {
  const quiet = ['--no-audit', '--no-fund', '--no-package-lock', '--prefer-offline', '--loglevel=error'];
  execFileSync('npm', ['install', ...quiet, ...flags], { cwd: folder, stdio: 'pipe' });
}

/** A module that imports everything there is to import. */
export function writeEntries(folder, packages) {
  const entries = packages.flatMap(entriesOf);
  const imports = entries.map((entry, at) => `import * as entry${at} from '${entry}';\n`).join('');
  const text = `${imports}console.log([${entries.map((_, at) => `entry${at}`)}].length);\n`;
  writeFileSync(join(folder, 'entries.ts'), text);
  writeFileSync(join(folder, 'entries.js'), text);
  return entries.length;
}

/** What TypeScript says of that module and of our declarations, in both ways of finding modules. */
export function typeFaults(folder, packages) {
  const ours = [join(folder, 'entries.ts'), ...packages.map(({ name }) => join(folder, 'node_modules', name, 'dist'))];
  const ways = [
    { module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext },
    { module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler },
  ];
  return ways.flatMap((way) => {
    const program = ts.createProgram([join(folder, 'entries.ts')], {
      ...way,
      target: ts.ScriptTarget.ES2022,
      lib: ['lib.es2023.d.ts'],
      types: ['node'],
      typeRoots: [join(folder, 'node_modules', '@types')],
      strict: true,
      noEmit: true,
      skipLibCheck: false,
    });
    return ts
      .getPreEmitDiagnostics(program)
      .filter(({ file }) => file === undefined || ours.some((path) => file.fileName.startsWith(path)))
      .map(
        ({ file, messageText }) =>
          `types, found the way of ${ts.ModuleResolutionKind[way.moduleResolution]}: ${file ? relative(folder, file.fileName) : ''}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`,
      );
  });
}
