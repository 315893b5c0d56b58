// The keys of a configuration, as the declarations that read them say.
import { code, table } from './page.mjs';

/** @param model the exports of @rungar/model */
export function fieldTable(fields, model) {
  const all = Object.entries(fields);
  const withRules = all.some(([, field]) => ruleOf(field) !== '');
  const rows = all.map(([key, field]) => [
    [code(key), field.secret && '(secret)', field.addition && '(addition)'].filter(Boolean).join(' '),
    takes(field.shape, model),
    defaultOf(field, model),
    field.description,
    ...(withRules ? [ruleOf(field)] : []),
  ]);
  return table(['key', 'takes', 'default', 'what it is', ...(withRules ? ['must be'] : [])], rows);
}

function ruleOf({ rule, shape }) {
  const each = shape.kind === 'list' ? shape.of.rule : undefined;
  return [rule, each && `each ${each}`].filter(Boolean).join('; ');
}

/** The two mappings of a provider's type, and every mapping in them, each with its table. */
export function typeTables({ type, fields }, model) {
  const parts = [
    ['providers[]', fields.entry],
    ['runner', fields.runner],
  ].flatMap(([path, mapping]) => [[path, mapping], ...mappingsIn(path, mapping)]);
  const tables = parts.map(([path, mapping]) => `${code(path)}:\n\n${fieldTable(mapping, model)}`);
  return [`### type: ${type}`, ...tables].join('\n\n');
}

function mappingsIn(path, fields) {
  return Object.entries(fields).flatMap(([key, { shape }]) => {
    if (shape.kind === 'mapping') return [[`${path}.${key}`, shape.fields]];
    const item = shape.kind === 'list' ? shape.of.shape : undefined;
    return item?.kind === 'mapping' ? [[`${path}.${key}[]`, item.fields]] : [];
  });
}

function takes(shape, model) {
  switch (shape.kind) {
    case 'choice':
      return shape.words.map(code).join(', ');
    case 'integer':
      return `whole number${bounds(shape)}`;
    case 'number':
      return `number${bounds(shape)}`;
    case 'boolean':
      return '`true`, `false`';
    case 'duration':
      return `duration${shape.minMs === undefined ? '' : ` from ${model.formatDurationMs(shape.minMs)}`}`;
    case 'list':
      return ['any', 'mapping'].includes(shape.of.shape.kind)
        ? 'list, below'
        : `list of ${takes(shape.of.shape, model)}${shape.alsoOne ? ', or one' : ''}`;
    case 'text map':
      return 'mapping of text to text';
    case 'mapping':
    case 'any':
      return 'below';
    default:
      return shape.kind;
  }
}

function bounds({ min, max }) {
  if (min !== undefined && max !== undefined) return `, ${min} to ${max}`;
  if (min !== undefined) return ` from ${min}`;
  return max === undefined ? '' : ` to ${max}`;
}

function defaultOf({ required, fallback, shape }, model) {
  if (required) return 'required';
  if (fallback === undefined || (Array.isArray(fallback) && fallback.length === 0)) return '';
  if (shape.kind === 'duration') return code(model.formatDurationMs(fallback));
  return code(shape.kind === 'size' ? model.formatSize(fallback) : fallback);
}
