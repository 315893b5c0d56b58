import { createRequire } from 'node:module';

/**
 * Loads an installed package of CommonJS. `import` would read all of it once more, only to learn the names it exports:
 * with an SDK of a cloud that takes as long as loading it.
 * @throws an error of the code `MODULE_NOT_FOUND` when it is not installed
 */
export const requireInstalled: NodeJS.Require = createRequire(import.meta.url);

/** Loads the very package that another one, which is installed, has for a dependency. */
export function requireDependency(owner: string, name: string): unknown {
  return createRequire(requireInstalled.resolve(owner))(name);
}
