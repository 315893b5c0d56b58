import { nearest } from '@rungar/model';
import { PAGE, type Page, type Rule } from '../check/rule.js';
import { AUTOSCALER_REASONS } from '../check/rules/autoscaler-reasons.js';
import { ruleOf, rules } from '../check/rules/index.js';
import { flagName, OPTIONS, type OptionKey, type OptionRow } from '../options/table.js';
import { inputError } from '../problems.js';
import { FIXED_REASONS, SETTING_REASONS, type SettingReason } from './settings.js';

/** What is to be said of one topic. */
export interface Explanation {
  readonly topic: string;
  readonly kind: 'rule' | 'setting' | 'autoscaler';
  readonly title: string;
  /** Paragraphs. */
  readonly why: readonly string[];
  /** A rule: when it speaks. A setting: what it is. */
  readonly what: string;
  /** A rule: what to do. An autoscaler: what to do instead. */
  readonly fix?: string;
  readonly severities?: readonly string[];
  readonly default?: string;
  /** A setting: its flag, and what manifests call it. */
  readonly names?: readonly string[];
  readonly rules?: readonly { readonly id: string; readonly title: string }[];
  readonly reference?: Page;
}

const AUTOSCALER_TOPICS = new Set(['hpa', 'horizontalpodautoscaler', 'autoscaler', 'autoscaling']);

/**
 * Explains a rule by its id, a setting by any name it goes by, or `hpa`: why no autoscaler changes a pool.
 * @throws InputError `OPTION_INVALID` for a topic that is none of them, with the nearest that is
 */
export function explain(topic: string): Explanation {
  const rule = ruleOf(topic);
  if (rule !== undefined) return explainRule(rule);
  if (AUTOSCALER_TOPICS.has(folded(topic))) return explainAutoscaler(topic);
  const setting = findSetting(topic);
  if (setting !== undefined) return explainSetting(setting.key, setting.reason);
  const near = nearest(topic, topics());
  throw inputError({
    code: 'OPTION_INVALID',
    at: 'topic',
    found: JSON.stringify(topic),
    allowed: 'a rule such as DWM110, a setting such as idleTimeout, or hpa',
    fix: near === undefined ? 'run explain without a topic for all of them' : `did you mean ${near}?`,
  });
}

/** Everything there is something to say of. */
export function topics(): readonly string[] {
  return ['hpa', ...Object.keys(OPTIONS), ...Object.keys(FIXED_REASONS), ...rules.map(({ id }) => id)];
}

function explainRule({ id, title, why, when, fix, severity, otherwise = [], page }: Rule): Explanation {
  return {
    topic: id,
    kind: 'rule',
    title,
    severities: [severity, ...otherwise],
    why: [why],
    what: when,
    fix,
    reference: page,
  };
}

function explainAutoscaler(topic: string): Explanation {
  return {
    topic,
    kind: 'autoscaler',
    title: 'no autoscaler changes a pool during a release',
    what: 'a HorizontalPodAutoscaler, or anything else that adds or removes workers while a release runs',
    why: AUTOSCALER_REASONS.map(({ title, text }) => `${title}. ${text}`),
    fix: 'make the pool before the release as large as the plan is wide (`size`), let pending pods add machines and idle timeouts end pods; to start from zero, watch the branches in the mailbox (`demand`), never CPU',
    rules: named(['DWM301', 'DWM302', 'DWM303']),
    reference: PAGE.fitsNot,
  };
}

function explainSetting(key: string, { why, fields, rules: ids }: SettingReason): Explanation {
  const option: OptionRow | undefined = isOption(key) ? OPTIONS[key] : undefined;
  const names = [...(option === undefined ? [] : [`--${flagName(key)}`]), ...fields];
  return {
    topic: key,
    kind: 'setting',
    title: option?.describe ?? key,
    what: option?.describe ?? `the field ${key}`,
    why: [why],
    names,
    rules: named(ids),
    ...(option?.default !== undefined && { default: option.default }),
  };
}

function isOption(key: string): key is OptionKey {
  return Object.hasOwn(OPTIONS, key);
}

function named(ids: readonly string[]): { id: string; title: string }[] {
  return ids.map((id) => ({ id, title: ruleOf(id)?.title ?? '' }));
}

/** A setting by its key, its flag, or the last word of what a manifest calls it. */
export function findSetting(topic: string): { readonly key: string; readonly reason: SettingReason } | undefined {
  const all = [...Object.entries(SETTING_REASONS), ...Object.entries(FIXED_REASONS)];
  const wanted = folded(topic);
  const matching =
    all.find(([key]) => folded(key) === wanted) ??
    all.find(([, { fields }]) =>
      fields.some((field) => folded(field) === wanted || folded(lastWord(field)) === wanted),
    );
  return matching && { key: matching[0], reason: matching[1] };
}

function lastWord(field: string): string {
  return field.slice(Math.max(field.lastIndexOf('.'), field.lastIndexOf('/')) + 1);
}

function folded(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9]/g, '');
}
