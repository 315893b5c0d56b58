// Reads the packages' sources: their values, and the comments on them.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { runnerImport } from 'vite';

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const quiet = { root, configFile: false, logLevel: 'error' };

const loaded = new Map();
let aliases;

/** The exports of a TypeScript module of the workspace; each is loaded once. */
export function load(path) {
  if (!loaded.has(path)) loaded.set(path, loadModule(path));
  return loaded.get(path);
}

async function loadModule(path) {
  aliases ??= runnerImport(join(root, 'tools/source-aliases.ts'), quiet);
  const resolve = { alias: (await aliases).module.sourceAliases(root) };
  const { module } = await runnerImport(join(root, path), { ...quiet, resolve });
  return module;
}

export function read(path) {
  return readFileSync(join(root, path), 'utf8');
}

/** The members of a constant list or object, each with the comment on it. */
export function documentedMembers(path, name) {
  const text = read(path);
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true);
  const literal = source.statements
    .filter(ts.isVariableStatement)
    .flatMap(({ declarationList }) => [...declarationList.declarations])
    .filter((declaration) => declaration.name.getText() === name)
    .map(({ initializer }) => literalIn(initializer))[0];
  if (!literal) throw new Error(`${path} has no literal ${name}`);
  const members = ts.isArrayLiteralExpression(literal) ? literal.elements : literal.properties;
  return members.map((member) => ({ name: nameOf(member), doc: docOf(text, member) }));
}

function literalIn(node) {
  if (!node || ts.isArrayLiteralExpression(node) || ts.isObjectLiteralExpression(node)) return node;
  return ts.forEachChild(node, literalIn);
}

function nameOf(member) {
  return ts.isPropertyAssignment(member) ? member.name.getText().replace(/^'|'$/g, '') : member.text;
}

function docOf(text, member) {
  const [comment] = (ts.getLeadingCommentRanges(text, member.pos) ?? []).slice(-1);
  if (!comment) return '';
  return text
    .slice(comment.pos, comment.end)
    .replace(/^\/\*\*?|\*\/$/g, '')
    .replace(/\n\s*\* ?/g, ' ')
    .trim();
}
