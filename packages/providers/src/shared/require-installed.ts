import { createRequire } from 'node:module';

/**
 * Loads an installed package of CommonJS. `import` would read all of it once more, only to learn the names it exports:
 * with an SDK of a cloud that takes as long as loading it.
 * @throws an error of the code `MODULE_NOT_FOUND` when it is not installed
 */
export const requireInstalled: (name: string) => unknown = createRequire(import.meta.url);
