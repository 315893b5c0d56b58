/** XML text that is well formed and escaped already. */
export interface Xml {
  readonly xml: string;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Characters XML 1.0 has no way to write; EC2 sends a replacement for them. */
const UNWRITABLE = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

function escapeText(text: string): string {
  // A carriage return written plainly would be read back as a line feed.
  return text
    .replace(UNWRITABLE, '\ufffd')
    .replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character)
    .replaceAll('\r', '&#13;');
}

/** `<name>content</name>`; members that are `undefined` are left out. */
export function element(name: string, content: string | number | boolean | readonly (Xml | undefined)[]): Xml {
  if (typeof content !== 'object') return { xml: `<${name}>${escapeText(String(content))}</${name}>` };
  let inner = '';
  for (const member of content) inner += member?.xml ?? '';
  return { xml: inner === '' ? `<${name}/>` : `<${name}>${inner}</${name}>` };
}

/** `<name><item>…</item>…</name>`, the way EC2 writes every list. */
export function listElement(name: string, items: readonly (readonly (Xml | undefined)[])[]): Xml {
  return element(
    name,
    items.map((item) => element('item', item)),
  );
}

/** A whole document with `root` as its root. */
export function xmlDocument(root: Xml): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${root.xml}`;
}

const NAMESPACE = 'http://ec2.amazonaws.com/doc/2016-11-15/';

/** EC2's answer to `action`. */
export function responseDocument(action: string, requestId: string, members: readonly (Xml | undefined)[]): string {
  const name = `${action}Response`;
  let inner = element('requestId', requestId).xml;
  for (const member of members) inner += member?.xml ?? '';
  return xmlDocument({ xml: `<${name} xmlns="${NAMESPACE}">${inner}</${name}>` });
}
