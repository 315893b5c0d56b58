import type { Options } from 'tsup';
import { library } from '../../tools/tsup.ts';

/**
 * Leaves out the HTTP/2 that got has an option for, which nobody sets: it is a third of what got loads, and of CommonJS,
 * which asks for Node's modules in a way that no bundled ES module can.
 */
const gotWithoutHttp2: NonNullable<Options['esbuildPlugins']>[number] = {
  name: 'got-without-http2',
  setup(build) {
    build.onResolve({ filter: /^http2-wrapper$/ }, ({ path }) => ({ path, namespace: 'left-out' }));
    build.onLoad({ filter: /./, namespace: 'left-out' }, () => ({ contents: 'export default {};' }));
  },
};

export default library(
  [
    'src/index.ts',
    'src/aws/index.ts',
    'src/dicer/index.ts',
    'src/gcp/index.ts',
    'src/proxmox/index.ts',
    'src/testing/index.ts',
  ],
  // got is a development dependency, so it is bundled: loading it as installed takes three times as long.
  { noExternal: [/^@(connectrpc|bufbuild)\//, '@rungar/dicer-api'], esbuildPlugins: [gotWithoutHttp2] },
);
