import { createRedactor } from '@rungar/model';
import { fakeClock } from '@rungar/model/testing';
import { expect, test } from 'vitest';
import { announcePage } from './announce-page.js';
import { createLogger } from './logs.js';

function logOf(page: Parameters<typeof announcePage>[0]): string {
  let log = '';
  const out = { write: (text: string) => (log += text) };
  announcePage(
    page,
    createLogger({ level: 'info', format: 'text', out, clock: fakeClock(), redactor: createRedactor() }),
  );
  return log;
}

test('a page for this host alone is told of, and no more', () => {
  expect(logOf({ url: 'http://127.0.0.1:9103/', isPrivate: true })).toMatch(
    /^[^\n]* level=INFO msg="Serving the page" address=http:\/\/127\.0\.0\.1:9103\/\n$/,
  );
});

test('a page that others can reach is warned of, with what to do', () => {
  const [, warning] = logOf({ url: 'http://192.0.2.7:9103/', isPrivate: false }).split('\n');
  expect(warning).toMatch(
    /level=WARN msg="Whoever reaches the page can look at it: .*address=http:\/\/192\.0\.2\.7:9103\//,
  );
  expect(warning).toContain('hint="set page.listen to 127.0.0.1:9103');
});
