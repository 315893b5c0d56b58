import { defineConfig, type Options } from 'tsup';
import { notices } from './notices.ts';

/**
 * How every package is built: ESM only, types beside the code, dependencies left external, and
 * dynamic imports kept as chunks so that an SDK loads only where it is used.
 */
export function library(entry: string[], more: Options = {}): ReturnType<typeof defineConfig> {
  return defineConfig({
    entry: Object.fromEntries(entry.map((file) => [file.replace(/^src\//, '').replace(/\.ts$/, ''), file])),
    format: ['esm'],
    target: 'node20',
    dts: {
      entry: Object.fromEntries(
        entry
          .filter((file) => !file.endsWith('main.ts'))
          .map((file) => [file.replace(/^src\//, '').replace(/\.ts$/, ''), file]),
      ),
    },
    sourcemap: true,
    clean: true,
    ...more,
    esbuildPlugins: [notices(), ...(more.esbuildPlugins ?? [])],
  });
}
