import { readFileSync } from 'node:fs';
import type { Options } from 'tsup';
import { library } from '../../tools/tsup.ts';

/**
 * Leaves out the HTTP/2 that got has an option for, which nobody sets: it is a third of what got loads, and of CommonJS,
 * which asks for Node's modules in a way that no bundled ES module can. And puts off until they are used what takes as
 * long as the rest of got: two formatters of lists for error messages, and all that Node's module `process` holds.
 */
const lighterGot: NonNullable<Options['esbuildPlugins']>[number] = {
  name: 'lighter-got',
  setup(build) {
    build.onResolve({ filter: /^http2-wrapper$/ }, ({ path }) => ({ path, namespace: 'left-out' }));
    build.onLoad({ filter: /./, namespace: 'left-out' }, () => ({ contents: 'export default {};' }));
    build.onResolve({ filter: /^node:process$/ }, ({ path }) => ({ path, namespace: 'global' }));
    build.onLoad({ filter: /./, namespace: 'global' }, () => ({ contents: 'export default globalThis.process;' }));
    build.onLoad({ filter: /@sindresorhus\/is\/distribution\/index\.js$/ }, ({ path }) => {
      const source = readFileSync(path, 'utf8');
      const contents = source.replace(
        /= (new Intl\.ListFormat\([^)]*\));/g,
        '= { format: (list) => $1.format(list) };',
      );
      if (contents === source) throw new Error(`${path} makes no formatters of lists any more`);
      return { contents };
    });
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
  { noExternal: [/^@(connectrpc|bufbuild)\//, '@rungar/dicer-api'], esbuildPlugins: [lighterGot] },
);
