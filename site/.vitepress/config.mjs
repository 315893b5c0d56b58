// The site: the Markdown of the repository where it stands, and nothing that is fetched from elsewhere.
import { cpSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';
import { linkFrom, root, sidebarOf, sitePages } from '../pages.mjs';

const pages = sitePages();
const ICON = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path d="M3 2l10 6-10 6z" fill="#3c7"/></svg>',
)}`;

/** The pages stand outside this folder, from where Vue would not be found. @type {import('vite').Plugin} */
const vueForPages = {
  name: 'vue-for-pages',
  enforce: 'pre',
  resolveId(source) {
    if (source !== 'vue' && source !== 'vue/server-renderer') return undefined;
    return this.resolve(source, join(root, 'site/pages.mjs'), { skipSelf: true });
  },
};

export default defineConfig({
  title: 'Rungar',
  description: 'Self-hosted GitHub Actions runners on machines of your own, one for each job.',
  lang: 'en',
  base: process.env.SITE_BASE ?? '/',
  srcDir: '..',
  outDir: './dist',
  cacheDir: './node_modules/.vitepress',
  srcExclude: ['docs/api/**', 'packages/*/{api,CHANGELOG}.md', 'tests/**', 'tools/**', 'site/**', '.*/**'],
  rewrites: Object.fromEntries(pages.map(({ file, route }) => [file, route])),
  head: [['link', { rel: 'icon', href: ICON }]],
  router: { prefetchLinks: false },
  // Built by typedoc, and put beside the pages afterwards.
  ignoreDeadLinks: [/^\/api\//],
  vite: {
    plugins: [vueForPages],
    // The index of the search is one large part, loaded with the first search.
    build: { chunkSizeWarningLimit: 2_000 },
  },
  buildEnd({ outDir }) {
    const from = dirname(fileURLToPath(import.meta.resolve('mermaid/dist/mermaid.esm.min.mjs')));
    for (const part of ['mermaid.esm.min.mjs', 'chunks/mermaid.esm.min']) {
      const filter = (/** @type {string} */ file) => !file.endsWith('.map');
      cpSync(join(from, part), join(outDir, 'mermaid', part), { recursive: true, filter });
    }
  },
  themeConfig: {
    search: { provider: 'local' },
    nav: [
      { text: 'Configuration', link: '/reference/configuration' },
      { text: 'Command line', link: '/reference/cli' },
      { text: 'API', link: '/api/index.html', target: '_self' },
    ],
    sidebar: sidebarOf(pages),
    outline: [2, 3],
    externalLinkIcon: true,
  },
  markdown: {
    anchor: { slugify: asGitHub },
    config(md) {
      md.core.ruler.push('links', ({ tokens, env }) => {
        const from = relative(root, env.realPath ?? env.path);
        for (const token of tokens.flatMap(({ children }) => children ?? [])) {
          const href = token.type === 'link_open' ? token.attrGet('href') : null;
          if (href === null || href === '' || href.startsWith('#') || /^[a-z]+:/.test(href)) continue;
          const to = linkFrom(pages, from, href);
          token.attrSet('href', to);
        }
      });
      const { fence } = md.renderer.rules;
      md.renderer.rules.fence = (...args) => {
        const { info, content } = args[0][args[1]] ?? { info: '', content: '' };
        if (info.trim() === 'mermaid') return `<MermaidDiagram source="${encodeURIComponent(content)}" />`;
        return fence?.(...args) ?? '';
      };
    },
  },
});

/** Headings are linked to as on GitHub, where the same pages are read. @param {string} title */
function asGitHub(title) {
  return title
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-');
}
