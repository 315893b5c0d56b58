import type { ConfigChange, NameChange, ValueChange } from '@rungar/config';
import type { Style } from './style.js';

/** What changes from one configuration to another, for people: what a reload takes up, and what needs a restart. */
export function changesLines(changes: readonly ConfigChange[], style: Style): readonly string[] {
  if (changes.length === 0) return ['no change: both mean the same'];
  return [
    ...section(
      'A reload applies',
      changes.filter(({ applies }) => applies === 'reload'),
      style,
    ),
    ...section(
      'Needs a restart',
      changes.filter(({ applies }) => applies === 'restart'),
      style,
    ),
  ];
}

function section(title: string, changes: readonly ConfigChange[], style: Style): readonly string[] {
  if (changes.length === 0) return [];
  return [
    `${style.bold(title)} ${style.dim(`(${changes.length})`)}`,
    ...changes.map((change) => `  ${lineOf(printable(change), style)}`),
  ];
}

/** A name or a value may hold what a terminal would act on. */
function printable<Change extends ConfigChange>(change: Change): Change {
  const entries = Object.entries(change).map(([key, value]) => [
    key,
    typeof value === 'string' ? value.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ') : value,
  ]);
  return Object.fromEntries(entries) as Change;
}

function lineOf(change: ConfigChange, style: Style): string {
  switch (change.kind) {
    case 'runners_outdated': {
      const { scaleSet, provider, keys, oldRevision, newRevision } = change;
      const why = keys.length === 0 ? '' : `: ${keys.join(', ')}`;
      const revisions = style.dim(`(revision ${oldRevision} -> ${newRevision})`);
      return `${style.cyan(scaleSet)} on ${provider}: runners become outdated${why} ${revisions}`;
    }
    case 'value_changed':
      return valueLine(change, style);
    case 'scale_set_added':
    case 'scale_set_removed':
    case 'provider_added':
    case 'provider_removed':
    case 'use_added':
    case 'use_removed':
      return nameLine(change, style);
  }
}

function nameLine({ kind, scaleSet = '', provider = '' }: NameChange, style: Style): string {
  switch (kind) {
    case 'scale_set_added':
      return `scale set ${style.cyan(scaleSet)} is new`;
    case 'scale_set_removed':
      return `scale set ${style.cyan(scaleSet)} is gone: its runners become leftovers`;
    case 'provider_added':
      return `provider ${provider} is new`;
    case 'provider_removed':
      return `provider ${provider} is gone: it takes no more runners, and is let go once it has none`;
    case 'use_added':
      return `${style.cyan(scaleSet)}: uses ${provider} too`;
    case 'use_removed':
      return `${style.cyan(scaleSet)}: does not use ${provider} any more, its runners there become outdated`;
  }
}

function valueLine({ scaleSet, provider, key, from, to }: ValueChange, style: Style): string {
  const owner = scaleSet === undefined ? provider : style.cyan(scaleSet);
  const isSecret = from !== undefined && from === to;
  const values = isSecret ? 'is another secret now' : `${from ?? 'not set'} -> ${to ?? 'not set'}`;
  return `${owner === undefined ? '' : `${owner}: `}${key} ${values}${consequence(scaleSet, key)}`;
}

/** What a change of that key means where that is not plain. */
function consequence(scaleSet: string | undefined, key: string): string {
  if (scaleSet !== undefined && key === 'labels')
    return ' (GitHub keeps the labels it has until the scale set is made anew)';
  if (key === 'installation') return ' (machines of the old one are not ours any more)';
  if (key === 'scale_sets[0].name') return ' (its session decides which daemon serves)';
  return '';
}

/** The same as a document for programs, with names as in the configuration. */
export function changesJson(changes: readonly ConfigChange[]): unknown {
  return { changes: changes.map(changeJson) };
}

function changeJson(change: ConfigChange): unknown {
  const { kind, applies, scaleSet: scale_set, provider } = change;
  switch (change.kind) {
    case 'runners_outdated': {
      const { oldRevision: old_revision, newRevision: new_revision, keys } = change;
      return { kind, scale_set, provider, old_revision, new_revision, keys, applies };
    }
    case 'value_changed':
      return { kind, scale_set, provider, key: change.key, from: change.from, to: change.to, applies };
    case 'scale_set_added':
    case 'scale_set_removed':
    case 'provider_added':
    case 'provider_removed':
    case 'use_added':
    case 'use_removed':
      return { kind, scale_set, provider, applies };
  }
}
