import type { ConfigChange, NameChange, ValueChange } from '@rungar/config';

/** A change of the configuration in a line for people. */
export function describeChange(change: ConfigChange): string {
  switch (change.kind) {
    case 'runners_outdated': {
      const { scaleSet, provider, keys } = change;
      const why = keys.length === 0 ? '' : `: ${keys.join(', ')}`;
      return `scale set ${scaleSet}: runners on ${provider} are outdated${why}`;
    }
    case 'value_changed':
      return describeValue(change);
    default:
      return describeName(change);
  }
}

function describeName({ kind, scaleSet = '', provider = '' }: NameChange): string {
  switch (kind) {
    case 'scale_set_added':
      return `scale set ${scaleSet}: new`;
    case 'scale_set_removed':
      return `scale set ${scaleSet}: taken out; its runners become leftovers`;
    case 'provider_added':
      return `provider ${provider}: new`;
    case 'provider_removed':
      return `provider ${provider}: taken out`;
    case 'use_added':
      return `scale set ${scaleSet}: uses ${provider} too`;
    case 'use_removed':
      return `scale set ${scaleSet}: does not use ${provider} any more`;
  }
}

function describeValue({ scaleSet, provider, key, from, to }: ValueChange): string {
  const owner =
    scaleSet !== undefined ? `scale set ${scaleSet}: ` : provider !== undefined ? `provider ${provider}: ` : '';
  const isSecret = from !== undefined && from === to;
  const labels = scaleSet !== undefined && key === 'labels' ? ' (GitHub keeps those it has)' : '';
  return `${owner}${key} ${isSecret ? 'is another secret now' : `${from ?? 'not set'} -> ${to ?? 'not set'}`}${labels}`;
}
