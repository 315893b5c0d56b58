// What docs/soak.md shows of the last run, and its picture.
import { pageWith } from './page.mjs';
import { load, read } from './source.mjs';

const RESULT = 'tests/soak/last-run.json';
const lastRun = () => JSON.parse(read(RESULT));

export const soakFiles = [
  {
    path: 'docs/images/soak.svg',
    make: async () => (await load('tests/soak/plot.ts')).plot(lastRun()),
  },
  pageWith('docs/soak.md', {
    'last run': async () => (await load('tests/soak/report.ts')).reportMarkdown(lastRun()),
  }),
];
