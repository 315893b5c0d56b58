#!/usr/bin/env node
// Runs the chaos driver, which is written in TypeScript, against the packages' sources.
import { createServer } from 'vite';

process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true';
const root = new URL('../..', import.meta.url).pathname;
const server = await createServer({
  root,
  configFile: new URL('../../vitest.config.ts', import.meta.url).pathname,
  logLevel: 'error',
  appType: 'custom',
  server: { middlewareMode: true, hmr: false, ws: false, watch: null },
  optimizeDeps: { noDiscovery: true },
  // Node 20 has no `using` yet.
  oxc: { target: 'node20' },
});
try {
  const { main } = await server.ssrLoadModule('/tests/chaos/main.ts');
  process.exitCode = await main(process.argv.slice(2));
} finally {
  await server.close();
}
