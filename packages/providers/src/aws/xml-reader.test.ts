import { describe, expect, test } from 'vitest';
import { XmlReader } from './xml-reader.js';

/** The whole of an XML text as nested arrays: `[name, child, …]` or `[name, text]` for the names in `texts`. */
type Tree = [string, ...(string | Tree)[]];
function treeOf(reader: XmlReader, texts: readonly string[], name: string): Tree {
  if (texts.includes(name)) return [name, reader.text()];
  const tree: Tree = [name];
  for (let child = reader.child(); child !== undefined; child = reader.child()) tree.push(treeOf(reader, texts, child));
  return tree;
}
const read = (xml: string, ...texts: string[]): Tree | undefined => {
  const reader = new XmlReader(xml);
  const root = reader.child();
  return root === undefined ? undefined : treeOf(reader, texts, root);
};

test('gives elements in their order, with empty ones of either form', () => {
  const xml =
    '<?xml version="1.0" encoding="UTF-8"?>\n<r xmlns="http://x/">\n  <a>1</a>\n  <b/>\n  <c></c><d><a>2</a></d>\n</r>';
  expect(read(xml, 'a')).toEqual(['r', ['a', '1'], ['b'], ['c'], ['d', ['a', '2']]]);
});

test('takes a self-closed element for empty text, and one with an attribute by its name', () => {
  expect(read('<r><a/><a nil="true"/><a\n>x</a></r>', 'a')).toEqual(['r', ['a', ''], ['a', ''], ['a', 'x']]);
});

describe('text', () => {
  test.each([
    ['&lt;a&gt; &amp; &quot;b&quot; &apos;c&apos;', `<a> & "b" 'c'`],
    ['&amp;lt;', '&lt;'],
    ['&#65;&#x42;&#X1F600;', 'AB😀'],
    ['&nbsp; &#x110000; & &;', '&nbsp; &#x110000; & &;'],
    ['  both ends  ', '  both ends  '],
    ['one\r\ntwo\rthree', 'one\ntwo\nthree'],
    ['a&#13;b', 'a\rb'],
    ['Łódź 東京 😀', 'Łódź 東京 😀'],
    ['a<![CDATA[<b>&amp;]]>c', 'a<b>&amp;c'],
    ['a<!-- <b> -->c<?d e?>', 'ac'],
    ['&constructor;', '&constructor;'],
  ])('%j is %j', (xml, text) => {
    expect(read(`<r>${xml}</r>`, 'r')).toEqual(['r', text]);
  });
});

test('passes over an element, whatever it holds', () => {
  const reader = new XmlReader(
    '<r><skip><a><a/></a><b>x</b><!-- </skip> --><![CDATA[</skip>]]><c/></skip><skip/><kept>1</kept></r>',
  );
  expect(reader.child()).toBe('r');
  expect(reader.child()).toBe('skip');
  reader.skip();
  expect(reader.child()).toBe('skip');
  reader.skip();
  expect(reader.child()).toBe('kept');
  expect(reader.text()).toBe('1');
  expect(reader.child()).toBeUndefined();
});

test.each(['', 'not XML', '<r><a>1</a>', '<r><a>1', '<r><!-- ', '<r', '<r><a><b>x</b></a></r>'])(
  '%j is no such XML',
  (xml) => {
    expect(() => read(xml, 'a')).toThrow(SyntaxError);
  },
);

test('skipping ends where the text does', () => {
  const reader = new XmlReader('<r><a><b>');
  reader.child();
  reader.child();
  expect(() => reader.skip()).toThrow(SyntaxError);
});
