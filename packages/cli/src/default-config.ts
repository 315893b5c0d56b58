/** Where a configuration is unless a flag names another. */
export const DEFAULT_CONFIG = '/etc/rungar/config.yaml';
