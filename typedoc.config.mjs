import { OptionDefaults } from 'typedoc';

/** @type {Partial<import('typedoc').TypeDocOptions>} */
export default {
  name: 'Rungar',
  out: 'docs/api',
  entryPointStrategy: 'packages',
  entryPoints: ['packages/*'],
  packageOptions: {
    entryPoints: ['src/**/index.ts'],
    exclude: ['src/commands/**'],
    // Types are checked by a step of their own.
    skipErrorChecking: true,
    disableSources: true,
    blockTags: [...OptionDefaults.blockTags, '@generated'],
    // The names of properties say what they hold; those that do not have a comment all the same.
    requiredToBeDocumented: ['Enum', 'Variable', 'Function', 'Class', 'Interface', 'Method', 'Accessor', 'TypeAlias'],
    // Links to files are checked with the rest of the documentation; what has no name to import it by is in the reports.
    validation: { notExported: false, invalidLink: true, invalidPath: false, notDocumented: true },
  },
  readme: 'docs/architecture.md',
  // Of the languages that tools/check-docs.mjs knows, those that are not there by default.
  highlightLanguages: [...OptionDefaults.highlightLanguages, 'mermaid', 'sh'],
  disableSources: true,
  blockTags: [...OptionDefaults.blockTags, '@generated'],
  validation: { notExported: false, invalidLink: true, invalidPath: false },
  treatWarningsAsErrors: true,
};
