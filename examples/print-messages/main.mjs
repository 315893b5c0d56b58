// Prints the messages of a scale set of yours, until Ctrl-C: GITHUB_TOKEN=... node main.mjs https://github.com/acme linux-watch
import { createScaleSetService, proxySettingsOf, Secret } from '@rungar/github';
import { printMessages } from './print-messages.mjs';

const [url, scaleSet] = process.argv.slice(2);
const { GITHUB_TOKEN } = process.env;
if (url === undefined || scaleSet === undefined || GITHUB_TOKEN === undefined) {
  console.error('usage: GITHUB_TOKEN=... node main.mjs URL SCALE_SET');
  process.exit(2);
}
const stop = new AbortController();
process.once('SIGINT', () => stop.abort());

const github = createScaleSetService({
  url,
  credentials: { kind: 'token', token: new Secret(GITHUB_TOKEN) },
  proxies: proxySettingsOf(process.env),
});
try {
  await printMessages(github, { scaleSet, capacity: 0, print: console.log, signal: stop.signal });
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  await github.close();
}
