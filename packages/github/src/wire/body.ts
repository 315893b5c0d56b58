const BYTE_ORDER_MARK = '\uFEFF';

/** A body as a value: its JSON, else its text; an empty one is the empty string. A byte order mark is not content. */
export function parseBody(text: string): unknown {
  const content = text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
  if (content.trim() === '') return '';
  try {
    return JSON.parse(content) as unknown;
  } catch {
    return content;
  }
}
