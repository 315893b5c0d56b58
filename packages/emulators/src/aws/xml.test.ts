import { expect, test } from 'vitest';
import { element, listElement, responseDocument } from './xml.js';

test('escapes what XML reads as its own', () => {
  expect(element('key', `a<b>&"c"'`).xml).toBe(`<key>a&lt;b&gt;&amp;&quot;c&quot;'</key>`);
});

test('keeps a carriage return, and replaces what XML cannot hold', () => {
  expect(element('key', 'a\r\nb\u0001\ud800').xml).toBe('<key>a&#13;\nb\ufffd\ufffd</key>');
});

test('writes an empty list as an empty element, and leaves undefined members out', () => {
  expect(listElement('tagSet', []).xml).toBe('<tagSet/>');
  expect(listElement('tagSet', [[element('key', 'a'), undefined]]).xml).toBe(
    '<tagSet><item><key>a</key></item></tagSet>',
  );
});

test("begins an answer with EC2's namespace and the request's id", () => {
  expect(responseDocument('CreateTags', 'id-1', [element('return', true)])).toBe(
    '<?xml version="1.0" encoding="UTF-8"?>\n' +
      '<CreateTagsResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/">' +
      '<requestId>id-1</requestId><return>true</return></CreateTagsResponse>',
  );
});
