import { REDACTED } from '../credential-like.js';
import type { CheckedConfig } from '../print/checked-config.js';
import { printedConfig } from '../print/printed-config.js';
import type { GitHubCredentials } from '../settings.js';
import type { ConfigChange, ValueChange } from './config-change.js';
import { valueChanges, without } from './value-change.js';

/** What a running daemon has opened or told others, and cannot change while it runs. */
const NEEDS_RESTART = /^(?:github\.url|installation|socket|metrics\..*|page(?:\..*)?|events\.file)$/;

/** What differs outside providers and scale sets. */
export function diffTopLevel(before: CheckedConfig, after: CheckedConfig): readonly ConfigChange[] {
  const [old, now] = [before, after].map((config) =>
    without(printedConfig(config), ['version', 'providers', 'scale_sets']),
  );
  if (old === undefined || now === undefined) return [];
  const [oldCredentials, newCredentials] = [before.settings.github.credentials, after.settings.github.credentials];
  const kindChanged = oldCredentials.kind !== newCredentials.kind;
  const changes = [...valueChanges(old, now), ...secretChange(oldCredentials, newCredentials)];
  return changes.map((change) =>
    NEEDS_RESTART.test(change.key) || (kindChanged && change.key.startsWith('github.'))
      ? { ...change, applies: 'restart' }
      : change,
  );
}

/** A token or a key that stands in both files, and is another one now: what is printed of both is the same. */
function secretChange(before: GitHubCredentials, after: GitHubCredentials): readonly ValueChange[] {
  const [old, now] = [before, after].map((credentials) =>
    credentials.kind === 'app' ? credentials.privateKey : credentials.token,
  );
  if (before.kind !== after.kind || old === undefined || now === undefined || old.reveal() === now.reveal()) return [];
  const key = after.kind === 'app' ? 'github.app_private_key' : 'github.token';
  return [{ kind: 'value_changed', key, from: REDACTED, to: REDACTED, applies: 'reload' }];
}
