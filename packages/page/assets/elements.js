// Making elements, and changing only what differs. Text is set as text, and never becomes markup.

const SVG = 'http://www.w3.org/2000/svg';

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Readonly<Record<string, string>>} [attributes]
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** The element of that id, which the page has. @param {string} id @returns {HTMLElement} */
export function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no ${id}`);
  return found;
}

/** The first element inside of another, which has it. @param {Element} parent @param {string} selector @returns {HTMLElement} */
export function inside(parent, selector) {
  const found = parent.querySelector(selector);
  if (!(found instanceof HTMLElement)) throw new Error(`${parent.id} has no ${selector}`);
  return found;
}

/**
 * Lets a part of the page that scrolls be reached by keyboard, under the name of its section.
 * @param {HTMLElement} node
 */
export function makeScrollable(node) {
  const title = node.closest('section')?.getAttribute('aria-labelledby');
  node.tabIndex = 0;
  node.setAttribute('role', 'group');
  if (title) node.setAttribute('aria-labelledby', title);
}

/**
 * A table stays one for those who hear it also where it is drawn as cards, for which browsers may forget what it is.
 * @param {HTMLElement} table
 */
export function keepTable(table) {
  table.setAttribute('role', 'table');
  for (const group of table.querySelectorAll('thead, tbody')) group.setAttribute('role', 'rowgroup');
  for (const row of table.querySelectorAll('tr')) row.setAttribute('role', 'row');
  for (const title of table.querySelectorAll('thead th')) title.setAttribute('role', 'columnheader');
}

/** @param {Node} node @param {string} text */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** @param {Element} node @param {string} name @param {string} value */
export function setAttribute(node, name, value) {
  if (node.getAttribute(name) !== value) node.setAttribute(name, value);
}

/** @param {HTMLElement} node @param {boolean} hidden */
export function setHidden(node, hidden) {
  if (node.hidden !== hidden) node.hidden = hidden;
}

/**
 * Keeps the children of `parent` like a list of items: a child stays as long as its item does, and with it the focus
 * and the place to which somebody has scrolled.
 * @template Item
 * @param {Element} parent
 * @param {(item: Item) => string} keyOf another for each item
 * @param {() => { node: Element, update(item: Item): void }} make
 * @returns {(items: readonly Item[]) => void}
 */
export function list(parent, keyOf, make) {
  /** @type {Map<string, ReturnType<typeof make>>} */
  const rows = new Map();
  return (items) => {
    const wanted = new Set(items.map(keyOf));
    for (const [key, row] of rows) {
      if (wanted.has(key)) continue;
      row.node.remove();
      rows.delete(key);
    }
    let at = parent.firstElementChild;
    for (const item of items) {
      const key = keyOf(item);
      const row = rows.get(key) ?? make();
      rows.set(key, row);
      row.update(item);
      if (row.node === at) at = at.nextElementSibling;
      else parent.insertBefore(row.node, at);
    }
  };
}

/** A part of a bar: its class, where it begins and how wide it is, in hundredths of the bar. */
/** @typedef {{ kind: string, from: number, width: number }} BarPart */

/** A bar of coloured parts. What it shows stands beside it in words. */
export function bar() {
  const node = document.createElementNS(SVG, 'svg');
  node.setAttribute('class', 'bar');
  node.setAttribute('viewBox', '0 0 100 1');
  node.setAttribute('preserveAspectRatio', 'none');
  node.setAttribute('aria-hidden', 'true');
  return {
    node,
    /** @param {readonly BarPart[]} parts */
    update(parts) {
      while (node.childElementCount > parts.length) node.lastElementChild?.remove();
      for (const [index, { kind, from, width }] of parts.entries()) {
        const part = node.children[index] ?? node.appendChild(document.createElementNS(SVG, 'rect'));
        setAttribute(part, 'class', kind);
        setAttribute(part, 'x', from.toFixed(2));
        setAttribute(part, 'width', width.toFixed(2));
        setAttribute(part, 'height', '1');
      }
    },
  };
}

/**
 * A chart of columns.
 * @param {number} count how many places there are for columns
 */
export function columns(count) {
  const node = document.createElementNS(SVG, 'svg');
  node.setAttribute('viewBox', `0 0 ${count} 100`);
  node.setAttribute('preserveAspectRatio', 'none');
  node.setAttribute('role', 'img');
  return {
    node,
    /** @param {string} label @param {readonly { kind: string, place: number, height: number }[]} parts heights in hundredths */
    update(label, parts) {
      setAttribute(node, 'aria-label', label);
      while (node.childElementCount > parts.length) node.lastElementChild?.remove();
      for (const [index, { kind, place, height }] of parts.entries()) {
        const part = node.children[index] ?? node.appendChild(document.createElementNS(SVG, 'rect'));
        setAttribute(part, 'class', kind);
        setAttribute(part, 'x', (place + 0.12).toFixed(2));
        setAttribute(part, 'width', '0.76');
        setAttribute(part, 'y', (100 - height).toFixed(2));
        setAttribute(part, 'height', height.toFixed(2));
      }
    },
  };
}
