// The fenced blocks of a page of documentation. tools/check-docs.mjs says what the words on a fence mean.
import { readFileSync } from 'node:fs';

export function blocksOf(page) {
  const lines = readFileSync(page, 'utf8').split('\n');
  const found = [];
  for (let at = 0; at < lines.length; at++) {
    const fence = /^( *)```(\w*) *(.*)$/.exec(lines[at]);
    if (!fence) continue;
    const [, indent, language, words] = fence;
    const start = at + 1;
    while (++at < lines.length && lines[at].trim() !== '```');
    const text = lines
      .slice(start, at)
      .map((line) => line.slice(indent.length))
      .join('\n');
    const block = { page, line: start, end: at, language, words: words.split(' ').filter(Boolean), text };
    const before = found.at(-1);
    if (language === 'text' && before && lines.slice(before.end + 1, start - 1).every((line) => line.trim() === ''))
      before.expected = text;
    found.push(block);
  }
  return found;
}

/** What stands after `NAME=` on the fence. */
export function wordOf(block, name) {
  return block.words.find((word) => word.startsWith(`${name}=`))?.slice(name.length + 1);
}

/** Whether a block is a program, to be run by itself. */
export function isProgram(block) {
  if (block.words.includes('norun') || wordOf(block, 'from') !== undefined) return false;
  if (block.language === 'ts') return wordOf(block, 'file') === undefined;
  return block.language === 'sh';
}
