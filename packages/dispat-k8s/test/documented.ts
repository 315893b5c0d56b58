import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { PoolInput } from '../src/options/table.js';

/** What the tests ask for where they do not say otherwise. */
export const MINIMAL: PoolInput = {
  endpoint: 'git@github.com:acme/release-mailbox.git',
  image: 'registry.example.com/release/worker:1',
  policyKind: 'none',
};

/** The options under which the generator gives the documented manifest and nothing else. */
export const DOCUMENTED: PoolInput = { ...MINIMAL, podSecurity: 'documented', script: 'documented', extras: false };

function fixture(name: string): string {
  return readFileSync(join(import.meta.dirname, '..', 'fixtures', name), 'utf8');
}

/** The manifest as dispat's documentation prints it. */
export const documentedPoolText = fixture('documented-pool.yaml');

/** The orchestrator's block as dispat's documentation prints it. */
export const documentedExecutionText = fixture('documented-execution.yaml');

/** A text as kubectl reads it: a leading zero is octal. */
export function readAsYaml11(text: string): unknown {
  return parse(text, { version: '1.1' });
}
