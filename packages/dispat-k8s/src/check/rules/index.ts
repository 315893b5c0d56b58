import type { Rule } from '../rule.js';
import { agreementRules } from './agreement.js';
import { autoscalingRules } from './autoscaling.js';
import { capacityRules } from './capacity.js';
import { fileModeRules } from './file-modes.js';
import { isolationRules } from './isolation.js';
import { jobControlRules } from './job-control.js';
import { lifetimeRules } from './lifetime.js';
import { IGNORE_RULE, UNREAD_RULE } from './meta.js';
import { networkRules } from './network.js';
import { platformRules } from './platforms.js';
import { poolSizeRules } from './pool-size.js';
import { publishingRules } from './publishing.js';
import { scriptRules } from './script.js';
import { secretRules } from './secrets.js';
import { storageRules } from './storage.js';
import { textRules } from './text.js';

/** Every rule, by its number. */
export const rules: readonly Rule[] = [
  IGNORE_RULE,
  UNREAD_RULE,
  ...agreementRules,
  ...autoscalingRules,
  ...capacityRules,
  ...fileModeRules,
  ...isolationRules,
  ...jobControlRules,
  ...lifetimeRules,
  ...networkRules,
  ...platformRules,
  ...poolSizeRules,
  ...publishingRules,
  ...scriptRules,
  ...secretRules,
  ...storageRules,
  ...textRules,
].toSorted((a, b) => (a.id < b.id ? -1 : 1));

/** The rule of that id, letter case aside. */
export function ruleOf(id: string): Rule | undefined {
  return rules.find((rule) => rule.id === id.toUpperCase());
}
