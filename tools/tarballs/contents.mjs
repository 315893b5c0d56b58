// What a tarball must hold, must not hold, and must say about itself.
import { readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import ts from 'typescript';

const ALWAYS = ['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json'];
/** Everything else that may be in a tarball. No sources, no tests, no configuration of a build. */
const MAY_HOLD =
  /^(assets\/[\w-]+\.(css|html|js|svg)|bin\/[\w-]+\.js|dist\/[\w/-]+\.(js|js\.map|d\.ts)|dist\/THIRD-PARTY-NOTICES\.txt|proto\/[\w/]+\.proto|schemas\/[\w.-]+\.schema\.json)$/;
const MUST_SAY = [
  'bugs',
  'description',
  'engines',
  'homepage',
  'keywords',
  'license',
  'publishConfig',
  'repository',
  'sideEffects',
];

/**
 * @param {import('./pack.mjs').Packed} packed
 * @returns {string[]} what is wrong with it
 */
export function contentFaults(packed) {
  return [
    ...fileFaults(packed),
    ...manifestFaults(packed),
    ...sourceMapFaults(packed),
    ...dependencyFaults(packed),
  ].map((fault) => `${packed.name}: ${fault}`);
}

function fileFaults({ files }) {
  return [
    ...ALWAYS.filter((file) => !files.includes(file)).map((file) => `${file} is missing`),
    ...files
      .filter((file) => !ALWAYS.includes(file) && !MAY_HOLD.test(file))
      .map((file) => `nobody who installs it needs ${file}`),
  ];
}

function manifestFaults({ manifest, files }) {
  const targets = [...Object.values(manifest.exports), ...Object.values(manifest.bin ?? {})]
    .flatMap((target) => (typeof target === 'string' ? [target] : Object.values(target)))
    .filter((target) => !target.includes('*'));
  const peers = Object.keys(manifest.peerDependencies ?? {});
  return [
    ...MUST_SAY.filter((key) => manifest[key] === undefined).map((key) => `its manifest has no ${key}`),
    ...targets
      .filter((target) => !files.includes(target.replace('./', '')))
      .map((target) => `its manifest names ${target}, which is not in it`),
    ...Object.entries(manifest.exports)
      .filter(([, target]) => typeof target === 'object' && Object.keys(target)[0] !== 'types')
      .map(([subpath]) => `the export ${subpath} has to name its types first`),
    ...(JSON.stringify(manifest).includes('workspace:') ? ['its manifest names a package by workspace'] : []),
    ...peers
      .filter((name) => manifest.peerDependenciesMeta?.[name]?.optional !== true)
      .map((name) => `the peer ${name} has to be optional`),
  ];
}

/** A debugger finds the sources in the map itself: they are not in the tarball. */
function sourceMapFaults({ files, unpacked }) {
  return files
    .filter((file) => file.startsWith('dist/') && file.endsWith('.js'))
    .filter((file) => {
      if (!files.includes(`${file}.map`)) return true;
      const { sources, sourcesContent } = JSON.parse(readFileSync(join(unpacked, `${file}.map`), 'utf8'));
      return sources.some(
        (source, at) => !source.includes('/node_modules/') && typeof sourcesContent?.[at] !== 'string',
      );
    })
    .map((file) => `${file} has no source map that brings its sources along`);
}

/** What is imported is what is declared, and the other way round. */
function dependencyFaults({ name, manifest, files, unpacked }) {
  const texts = files
    .filter((file) => /^(bin|dist)\/.*\.(js|d\.ts)$/.test(file))
    .map((file) => readFileSync(join(unpacked, file), 'utf8'));
  const imported = new Set(texts.flatMap(importedPackages));
  const needed = Object.keys(manifest.dependencies ?? {});
  const allowed = [
    name,
    ...needed,
    ...Object.keys(manifest.peerDependencies ?? {}),
    ...Object.keys(manifest.optionalDependencies ?? {}),
  ];
  return [
    ...[...imported].filter((one) => !allowed.includes(one)).map((one) => `it imports ${one} without depending on it`),
    ...needed.filter((one) => !imported.has(one)).map((one) => `it depends on ${one} without importing it`),
  ];
}

function importedPackages(text) {
  return ts
    .preProcessFile(text, true, true)
    .importedFiles.map(({ fileName }) => fileName)
    .filter((from) => !from.startsWith('.') && !from.startsWith('node:') && !builtinModules.includes(from))
    .map((from) => /^(@[^/]+\/)?[^/]+/.exec(from)[0]);
}
