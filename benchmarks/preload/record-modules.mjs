// Loaded before a program under test (node --import). Writes the address of every module it loads, one a line, to the
// file RUNGAR_BENCH_LOADED names: ES modules as they load, CommonJS ones as the program ends.
import { appendFileSync } from 'node:fs';
import { createRequire, register } from 'node:module';
import { pathToFileURL } from 'node:url';

register('./record-modules-hooks.mjs', import.meta.url);

process.on('exit', () => {
  const required = Object.keys(createRequire(import.meta.url).cache).map((file) => pathToFileURL(file).href);
  appendFileSync(process.env.RUNGAR_BENCH_LOADED, required.map((url) => `${url}\n`).join(''));
});
