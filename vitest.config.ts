import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { sourceAliases } from './tools/source-aliases.ts';

export default defineConfig({
  // Tests read the packages' sources, so that a change is tested without a build.
  resolve: { alias: sourceAliases(import.meta.dirname) },
  test: {
    environment: 'node',
    // The end to end tests mostly wait, so that one more than there are cores is busy.
    maxWorkers: availableParallelism() + 1,
    env: { AWS_EC2_METADATA_DISABLED: 'true', AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true' },
    testTimeout: 20_000,
    hookTimeout: 20_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'packages',
          include: ['packages/*/{src,test}/**/*.test.ts'],
          // No module keeps state, so that the files of one worker can share what they load: most of their time goes there.
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'whole',
          include: ['examples/*/test/**/*.test.ts', 'tests/**/*.test.ts', 'benchmarks/src/**/*.test.ts'],
        },
      },
    ],
  },
});
