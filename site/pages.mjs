// Which files of the repository are pages of the site, at which address, and under which heading of the sidebar.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

export const root = dirname(import.meta.dirname);
const SOURCE = 'https://github.com/rungar/rungar-node/blob/main';

/** Folders of docs/ that come in this order, and by these names; any other one comes after them. */
const SECTIONS = ['getting-started', 'concepts', 'providers', 'guides', 'reference'];

/** @typedef {{ file: string, route: string, title: string }} SitePage its file from the root; its route, `guides/pausing.md` */

/** @returns {SitePage[]} */
export function sitePages() {
  const docs = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !name.startsWith('api'))
    .map((name) => join('docs', name));
  const readmes = ['packages', 'examples', 'deploy'].flatMap((group) => [
    join(group, 'README.md'),
    ...readdirSync(join(root, group)).map((name) => join(group, name, 'README.md')),
  ]);
  return [
    'README.md',
    'CONTRIBUTING.md',
    'SECURITY.md',
    'CODE_OF_CONDUCT.md',
    'benchmarks/README.md',
    ...docs,
    ...readmes,
  ]
    .filter((file) => existsSync(join(root, file)))
    .map((file) => ({ file, route: routeOf(file), title: titleOf(file) }));
}

/** @param {string} file */
function routeOf(file) {
  // Beside docs/security.md: addresses that differ by case alone are one on some systems.
  if (/^[A-Z_]+\.md$/.test(file) && file !== 'README.md') return `project/${file}`;
  const inDocs = /^docs\/(README|index)\.md$/.test(file) ? 'overview.md' : file.replace(/^docs\//, '');
  return inDocs.replace(/(^|\/)README\.md$/, '$1index.md');
}

/** @param {string} file */
function titleOf(file) {
  const [, heading = file] = /^# (.+)$/m.exec(readFileSync(join(root, file), 'utf8')) ?? [];
  return heading.replaceAll('`', '');
}

/** @param {readonly SitePage[]} pages */
export function sidebarOf(pages) {
  const inFolder = (/** @type {string} */ folder) =>
    pages
      .filter(({ file }) => dirname(file) === folder || (folder !== '.' && dirname(dirname(file)) === folder))
      .sort(byTitle)
      .map(linkTo);
  const folders = new Set(pages.flatMap(({ file }) => (/^docs\/([^/]+)\//.exec(file) ?? []).slice(1)).sort(bySection));
  const top = pages.filter(({ file }) => dirname(file) === 'docs');
  const first = top.filter(({ file }) => /getting-started|overview|README|index/.test(file));
  const sections = [...folders].map((folder) => ({ text: nameOf(folder), items: inFolder(`docs/${folder}`) }));
  return [
    { text: 'Start', items: [{ text: 'What it is', link: '/' }, ...first.map(linkTo)] },
    ...sections,
    {
      text: 'More',
      items: top
        .filter((page) => !first.includes(page))
        .sort(byTitle)
        .map(linkTo),
    },
    ...['packages', 'examples', 'deploy'].map((folder) => ({
      text: nameOf(folder),
      collapsed: true,
      items: inFolder(folder),
    })),
    {
      text: 'The project',
      collapsed: true,
      items: pages.filter(({ file }) => /^(CONTRIBUTING|SECURITY|CODE_OF_CONDUCT|benchmarks)/.test(file)).map(linkTo),
    },
  ].filter(({ items }) => items.length > 0);
}

/**
 * Where a link of a page leads on the site: to another page, or else to the file at its source.
 * @param {readonly SitePage[]} pages
 * @param {string} from the file of the page, from the root
 * @param {string} href as it is written
 * @throws Error when it leads nowhere
 */
export function linkFrom(pages, from, href) {
  const [path = '', heading] = href.split('#');
  const target = relative(root, resolve(root, dirname(from), decodeURI(path)));
  const anchor = heading === undefined ? '' : `#${heading}`;
  const page = pages.find(({ file }) => file === target || file === join(target, 'README.md'));
  if (page) return `/${page.route.replace(/(^|\/)index\.md$/, '$1').replace(/\.md$/, '.html')}${anchor}`;
  if (!existsSync(join(root, target))) throw new Error(`${from}: the link to ${href} leads nowhere`);
  const isFolder = statSync(join(root, target)).isDirectory();
  return `${isFolder ? SOURCE.replace('/blob/', '/tree/') : SOURCE}/${target}${anchor}`;
}

/** @param {SitePage} page */
function linkTo({ route, title }) {
  return { text: title, link: `/${route.replace(/(^|\/)index\.md$/, '$1').replace(/\.md$/, '')}` };
}

/** @param {string} folder */
function nameOf(folder) {
  return folder.charAt(0).toUpperCase() + folder.slice(1).replaceAll('-', ' ');
}

/** @param {SitePage} one @param {SitePage} other */
function byTitle(one, other) {
  return one.title.localeCompare(other.title, 'en');
}

/** @param {string} one @param {string} other */
function bySection(one, other) {
  const place = (/** @type {string} */ folder) =>
    SECTIONS.includes(folder) ? SECTIONS.indexOf(folder) : SECTIONS.length;
  return place(one) - place(other) || one.localeCompare(other, 'en');
}
