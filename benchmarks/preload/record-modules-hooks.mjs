import { appendFileSync } from 'node:fs';

export async function load(url, context, nextLoad) {
  appendFileSync(process.env.RUNGAR_BENCH_LOADED, `${url}\n`);
  return nextLoad(url, context);
}
