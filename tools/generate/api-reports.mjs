// A report of what each package exports, read from the declarations as they are built: a change of the API is a change
// of packages/NAME/api.md, and is seen in review.
import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { packagesInOrder } from '../workspace.mjs';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const packages = packagesInOrder(root);
const printer = ts.createPrinter({ removeComments: true, newLine: ts.NewLineKind.LineFeed });

export const apiReports = packages.map((one) => ({
  path: `${relative(root, one.folder)}/api.md`,
  make: () => report(one),
}));

let program;

/** All packages at once: they name one another. What they name of others is looked into no further. */
function declarations() {
  if (program) return program;
  const options = {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
    types: [],
  };
  const host = ts.createCompilerHost(options);
  host.resolveModuleNameLiterals = (literals, file) =>
    literals.map(({ text }) => {
      const ours = text.startsWith('.') || packages.some(({ name }) => text === name || text.startsWith(`${name}/`));
      return ours ? ts.resolveModuleName(text, file, options, host) : { resolvedModule: undefined };
    });
  const files = packages.flatMap(entriesOf).map(({ file }) => file);
  program = ts.createProgram(files, options, host);
  return program;
}

function entriesOf({ folder, name, manifest }) {
  return Object.entries(manifest.exports)
    .filter(([, target]) => typeof target === 'object')
    .map(([subpath, { types }]) => ({ name: name + subpath.slice(1), file: join(folder, types) }));
}

function report(one) {
  const missing = entriesOf(one).find(({ file }) => !existsSync(file));
  if (missing) throw new Error(`${relative(root, missing.file)} is not built: run "npm run setup" first`);
  const sections = entriesOf(one).map((entry) => section(one, entry));
  return [
    `# API of ${one.name}`,
    '',
    'Made by `npm run generate` from the built declarations, without their documentation: what a change of it means for a',
    'version is in the policy. What is marked "not exported" has no name to import it by, and is reached from what has one.',
    '',
    ...sections,
  ].join('\n');
}

function section(one, { name, file }) {
  const { folder } = one;
  const checker = declarations().getTypeChecker();
  const targets = exportsOf(checker, file);
  const named = entriesOf(one).flatMap((entry) => [...exportsOf(checker, entry.file).values()]);
  const hidden = reached(checker, [...targets.values()], named, join(folder, 'dist'));
  const texts = [
    ...[...targets].map(([as, symbol]) => [as, textOf(as, symbol, folder)]),
    ...hidden.map((symbol) => [symbol.name, `// not exported\n${textOf(symbol.name, symbol, folder)}`]),
  ].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return [`## ${name}`, '', '```ts', texts.map(([, text]) => text).join('\n\n'), '```', ''].join('\n');
}

/** What a module exports, by the names it has there. */
function exportsOf(checker, file) {
  const module = checker.getSymbolAtLocation(declarations().getSourceFile(file));
  return new Map(checker.getExportsOfModule(module).map((symbol) => [symbol.name, targetOf(checker, symbol)]));
}

function targetOf(checker, symbol) {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}

/** What the declarations of `symbols` name, and what that names in turn, as far as it is below `dist` and not among `named`. */
function reached(checker, symbols, named, dist) {
  const seen = new Set(named);
  const found = [];
  const visit = (node) => {
    if (ts.isIdentifier(node)) {
      const local = checker.getSymbolAtLocation(node);
      const symbol = local && targetOf(checker, local);
      if (symbol && !seen.has(symbol) && isTopLevel(symbol, dist)) {
        seen.add(symbol);
        found.push(symbol);
        for (const declaration of symbol.declarations) visit(declaration);
      }
    }
    ts.forEachChild(node, visit);
  };
  for (const symbol of symbols) {
    for (const declaration of symbol.declarations ?? []) if (isBelow(declaration, dist)) visit(declaration);
  }
  return found;
}

function isBelow(declaration, dist) {
  return declaration.getSourceFile().fileName.startsWith(dist);
}

function isTopLevel({ declarations: all }, dist) {
  return all?.some((one) => isBelow(one, dist) && ts.isSourceFile(statementOf(one).parent)) ?? false;
}

/** A variable's declaration is within a list within a statement; any other is a statement. */
function statementOf(declaration) {
  return ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
}

function textOf(as, symbol, folder) {
  const own = symbol.declarations.filter((one) => isBelow(one, join(folder, 'dist')));
  if (own.length === 0) return `export { ${as} } from another package: ${symbol.declarations.map(packageOf).at(0)}`;
  const statements = [...new Set(own.map(statementOf))].map((node) =>
    printer
      .printNode(ts.EmitHint.Unspecified, node, node.getSourceFile())
      .replace(/^export (default )?/, '')
      .replace(/^declare /, ''),
  );
  return [...(as === symbol.name ? [] : [`// exported as ${as}`]), ...statements].join('\n');
}

function packageOf(declaration) {
  const file = declaration.getSourceFile().fileName;
  return packages.find(({ folder }) => file.startsWith(`${folder}/`)).name;
}
