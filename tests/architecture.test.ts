import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';

// The rules of docs/architecture.md, read off the sources themselves.

const root = resolve(import.meta.dirname, '..');

/** What each package may import of the workspace. An arrow may skip a floor on the way down; none goes up or sideways. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  model: [],
  'dicer-api': [],
  emulators: ['dicer-api'],
  labels: ['model'],
  'yaml-source': ['model'],
  proxies: ['model'],
  page: ['model'],
  'dispat-k8s': ['model', 'yaml-source'],
  config: ['model', 'labels', 'yaml-source'],
  github: ['model', 'proxies'],
  providers: ['model', 'labels', 'proxies', 'dicer-api'],
  reconciler: ['model', 'labels'],
  daemon: ['model', 'labels', 'config', 'github', 'page', 'providers', 'reconciler'],
  cli: ['model', 'labels', 'config', 'github', 'providers', 'reconciler', 'daemon', 'emulators'],
};

interface Import {
  readonly from: string;
  readonly typeOnly: boolean;
  readonly dynamic: boolean;
}

interface Source {
  readonly path: string;
  readonly package: string;
  readonly tree: ts.SourceFile;
  readonly imports: readonly Import[];
}

interface Manifest {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

const packages = readdirSync(join(root, 'packages'));
const manifests = new Map(
  packages.map((name) => [
    name,
    JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8')) as Manifest,
  ]),
);
const folderOf = new Map([...manifests].map(([folder, { name }]) => [name, folder]));
const sources = packages.flatMap((name) =>
  filesBelow(join(root, 'packages', name, 'src')).map((path) => read(path, name)),
);

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.name.endsWith('.test.ts'))
    .map((entry) => join(entry.parentPath, entry.name));
}

function read(path: string, name: string): Source {
  const tree = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.ES2023, true);
  return { path, package: name, tree, imports: importsOf(tree) };
}

function importsOf(tree: ts.SourceFile): Import[] {
  const found: Import[] = [];
  walk(tree, (node) => {
    if (
      (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) &&
      node.moduleSpecifier &&
      ts.isStringLiteral(node.moduleSpecifier)
    ) {
      found.push({ from: node.moduleSpecifier.text, dynamic: false, typeOnly: isTypeOnly(node) });
    } else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      const [target] = node.arguments;
      if (target && ts.isStringLiteral(target)) found.push({ from: target.text, dynamic: true, typeOnly: false });
    }
  });
  return found;
}

function isTypeOnly(node: ts.ImportDeclaration | ts.ExportDeclaration): boolean {
  if (ts.isExportDeclaration(node)) return node.isTypeOnly;
  const clause = node.importClause;
  if (!clause) return false;
  if (clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true;
  const names = clause.namedBindings;
  return (
    !clause.name &&
    names !== undefined &&
    ts.isNamedImports(names) &&
    names.elements.every((element) => element.isTypeOnly)
  );
}

function walk(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node);
  ts.forEachChild(node, (child) => walk(child, visit));
}

const at = (source: Source, node: ts.Node): string =>
  `${relative(root, source.path)}:${source.tree.getLineAndCharacterOfPosition(node.getStart()).line + 1}`;

/** Every place in `sources` where `judge` finds something to say. */
function offences(
  among: readonly Source[],
  judge: (node: ts.Node, source: Source) => string | false | undefined,
): string[] {
  const found: string[] = [];
  for (const source of among) {
    walk(source.tree, (node) => {
      const why = judge(node, source);
      if (why) found.push(`${at(source, node)} ${why}`);
    });
  }
  return found;
}

const isMain = (source: Source): boolean => basename(source.path) === 'main.ts';

describe('imports', () => {
  test('a package imports only packages on the floors below it', () => {
    const wrong = sources.flatMap((source) =>
      source.imports.flatMap(({ from }) => {
        const target = workspacePackageOf(from);
        if (target === undefined || MAY_IMPORT[source.package]?.includes(target)) return [];
        return [`${relative(root, source.path)} imports ${from}`];
      }),
    );
    expect(wrong).toEqual([]);
  });

  test('every package has a floor', () => {
    expect(Object.keys(MAY_IMPORT).sort()).toEqual([...packages].sort());
  });

  test('no import reaches outside its own package by path', () => {
    const wrong = sources.flatMap((source) =>
      source.imports
        .filter(({ from }) => from.startsWith('.'))
        .filter(({ from }) => {
          const target = resolve(dirname(source.path), from);
          return !target.startsWith(`${join(root, 'packages', source.package)}/`) || target.includes('/test/');
        })
        .map(({ from }) => `${relative(root, source.path)} imports ${from}`),
    );
    expect(wrong).toEqual([]);
  });

  test('no module imports the index of its own package', () => {
    const wrong = sources.flatMap((source) =>
      source.imports
        .filter(({ from }) => from.startsWith('.'))
        .filter(
          ({ from }) =>
            resolve(dirname(source.path), from).replace(/\.js$/, '.ts') ===
            join(root, 'packages', source.package, 'src', 'index.ts'),
        )
        .map(({ from }) => `${relative(root, source.path)} imports ${from}`),
    );
    expect(wrong).toEqual([]);
  });

  test('modules do not import one another in a circle', () => {
    const graph = new Map(
      sources.map((source) => [
        source.path,
        source.imports
          .filter(({ from, typeOnly, dynamic }) => from.startsWith('.') && !typeOnly && !dynamic)
          .map(({ from }) => resolve(dirname(source.path), from).replace(/\.js$/, '.ts')),
      ]),
    );
    expect(circlesIn(graph).map((circle) => circle.map((path) => relative(root, path)).join(' -> '))).toEqual([]);
  });

  test('labels takes types alone from model', () => {
    const wrong = sources
      .filter(({ package: name }) => name === 'labels')
      .flatMap(({ path, imports }) =>
        imports
          .filter(({ from, typeOnly }) => workspacePackageOf(from) && !typeOnly)
          .map(({ from }) => `${relative(root, path)} imports ${from}`),
      );
    expect(wrong).toEqual([]);
    expect(manifests.get('labels')?.dependencies ?? {}).toEqual({});
  });

  test('emulators and cloud SDKs load only when they are used', () => {
    const wrong = sources.flatMap(({ path, imports }) =>
      imports
        .filter(
          ({ from, typeOnly, dynamic }) =>
            !typeOnly && !dynamic && /^(@rungar\/emulators|@aws-sdk\/|@google-cloud\/)/.test(from),
        )
        .map(({ from }) => `${relative(root, path)} imports ${from} at once`),
    );
    expect(wrong).toEqual([]);
  });

  test('only the command line depends on the emulators', () => {
    const users = [...manifests]
      .filter(([, { dependencies }]) => dependencies?.['@rungar/emulators'])
      .map(([folder]) => folder);
    expect(users).toEqual(['cli']);
  });

  test('one provider never imports another', () => {
    const providers = join(root, 'packages/providers/src');
    const folder = (path: string): string => relative(providers, path).split('/')[0] ?? '';
    const wrong = sources
      .filter(
        (source) =>
          source.path.startsWith(providers) && !['shared', 'testing', 'index.ts'].includes(folder(source.path)),
      )
      .flatMap((source) =>
        source.imports
          .filter(({ from }) => from.startsWith('.'))
          .filter(({ from }) => ![folder(source.path), 'shared'].includes(folder(resolve(dirname(source.path), from))))
          .map(({ from }) => `${relative(root, source.path)} imports ${from}`),
      );
    expect(wrong).toEqual([]);
  });
});

describe('what a module may touch', () => {
  test('process and console appear in a main alone', () => {
    const wrong = offences(
      sources.filter((source) => !isMain(source)),
      (node) =>
        ts.isPropertyAccessExpression(node) &&
        ts.isIdentifier(node.expression) &&
        ['process', 'console'].includes(node.expression.text) &&
        // Loads a module of Node's when it is needed, and says nothing of the process.
        node.name.text !== 'getBuiltinModule' &&
        node.getText(),
    );
    const imports = sources
      .filter((source) => !isMain(source))
      .flatMap(({ path, imports }) =>
        imports
          .filter(({ from }) => /^(node:)?(process|console)$/.test(from))
          .map(({ from }) => `${relative(root, path)} imports ${from}`),
      );
    expect([...wrong, ...imports]).toEqual([]);
  });

  test('time, timers and randomness come from their own modules', () => {
    const allowed = new Set(
      ['model', 'emulators'].flatMap((name) =>
        ['clock.ts', 'random.ts'].map((file) => join(root, 'packages', name, 'src', file)),
      ),
    );
    const wrong = offences(
      sources.filter((source) => !allowed.has(source.path)),
      (node) => {
        if (ts.isNewExpression(node) && node.expression.getText() === 'Date' && !node.arguments?.length)
          return 'new Date()';
        if (
          ts.isCallExpression(node) &&
          /^(setTimeout|setInterval|Date\.now|performance\.now|Math\.random|randomBytes|randomUUID|randomInt|AbortSignal\.timeout|crypto\.(randomBytes|randomUUID|randomInt|getRandomValues))$/.test(
            node.expression.getText(),
          )
        )
          return node.expression.getText();
        return (
          ts.isImportDeclaration(node) &&
          ts.isStringLiteral(node.moduleSpecifier) &&
          /^(node:)?timers/.test(node.moduleSpecifier.text) &&
          node.moduleSpecifier.text
        );
      },
    );
    expect(wrong).toEqual([]);
  });

  /** Node's own modules that compute, and touch nothing. */
  const PURE_MODULES = new Set(['node:crypto', 'node:util']);

  test('what decides and what encodes is pure: no waiting, no files, no network', () => {
    const pure = sources.filter(
      ({ path, package: name }) =>
        (name === 'labels' || path.includes('/reconciler/src/decide/')) && !path.includes('/testing/'),
    );
    const waits = offences(
      pure,
      (node) => (node.kind === ts.SyntaxKind.AsyncKeyword || ts.isAwaitExpression(node)) && 'waits',
    );
    const imports = pure.flatMap(({ path, imports: all }) =>
      all
        .filter(({ from, typeOnly }) => !typeOnly && from.startsWith('node:') && !PURE_MODULES.has(from))
        .map(({ from }) => `${relative(root, path)} imports ${from}`),
    );
    expect([...waits, ...imports]).toEqual([]);
  });

  test('no module keeps changing state of its own', () => {
    const wrong = offences(sources, (node, source) => {
      if (!ts.isVariableStatement(node) || node.parent !== source.tree || isMain(source)) return false;
      if (node.modifiers?.some((modifier) => modifier.kind === ts.SyntaxKind.DeclareKeyword)) return false;
      if (node.declarationList.flags & ts.NodeFlags.Let) return 'a variable at the top of a module';
      return (
        node.declarationList.declarations.some(({ initializer, type }) => {
          // What its type says is read only is an empty constant.
          if (!initializer || /^readonly/i.test(type?.getText() ?? '')) return false;
          if (ts.isNewExpression(initializer))
            return (
              /^(Map|Set|WeakMap|WeakSet)$/.test(initializer.expression.getText()) && !initializer.arguments?.length
            );
          return (
            (ts.isArrayLiteralExpression(initializer) && initializer.elements.length === 0) ||
            (ts.isObjectLiteralExpression(initializer) && initializer.properties.length === 0)
          );
        }) && 'an empty container at the top of a module'
      );
    });
    expect(wrong).toEqual([]);
  });
});

describe('names', () => {
  test('no file is a drawer for odds and ends', () => {
    const wrong = sources
      .map(({ path }) => relative(root, path))
      .filter((path) => /(^|\/)(utils?|helpers?|common|misc)(\.ts$|\/)/.test(path));
    expect(wrong).toEqual([]);
  });

  test('nothing is exported by the handful with a star', () => {
    expect(offences(sources, (node) => ts.isExportDeclaration(node) && !node.exportClause && 'export *')).toEqual([]);
  });

  test('every package says in a README what it is for', () => {
    expect(packages.filter((name) => !existsSync(join(root, 'packages', name, 'README.md')))).toEqual([]);
  });
});

function workspacePackageOf(specifier: string): string | undefined {
  const name = specifier.startsWith('@') ? specifier.split('/').slice(0, 2).join('/') : (specifier.split('/')[0] ?? '');
  return folderOf.get(name);
}

/** Every circle met on a walk over `graph`, as the paths along it. */
function circlesIn(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const circles: string[][] = [];
  const done = new Set<string>();
  const visit = (path: string, trail: readonly string[]): void => {
    const seenAt = trail.indexOf(path);
    if (seenAt >= 0) circles.push([...trail.slice(seenAt), path]);
    else if (!done.has(path)) {
      for (const next of graph.get(path) ?? []) visit(next, [...trail, path]);
      done.add(path);
    }
  };
  for (const path of graph.keys()) visit(path, []);
  return circles;
}
