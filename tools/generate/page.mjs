// Markdown: tables, and the parts of a page that are made.

/** A table; a bar in a cell does not end it. */
export function table(head, rows) {
  const line = (cells) => `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}

export const code = (text) => `\`${text}\``;

/**
 * A page whose named parts are made; everything else stays as it was written. A part stands between
 * `<!-- made from the code: NAME -->` and `<!-- end -->`.
 */
export function pageWith(path, parts) {
  return {
    path,
    async make(before) {
      let text = before;
      for (const [name, makePart] of Object.entries(parts)) {
        const start = `<!-- made from the code: ${name} -->\n`;
        const from = text.indexOf(start);
        const to = text.indexOf('<!-- end -->', from);
        if (from < 0 || to < 0)
          throw new Error(`${path} has no place for "${name}": it wants ${start.trim()} and <!-- end -->`);
        text = `${text.slice(0, from + start.length)}\n${await makePart()}\n\n${text.slice(to)}`;
      }
      return text;
    },
  };
}
