// The keys of a configuration, as the declarations that read them say.
import { code, table } from './page.mjs';

/** @param model the exports of @rungar/model */
export function fieldTable(fields, model) {
  const rows = Object.entries(fields).map(([key, field]) => [
    code(key) + (field.secret ? ' (secret)' : ''),
    takes(field.shape, model),
    defaultOf(field, model),
    field.description,
  ]);
  return table(['key', 'takes', 'default', 'what it is'], rows);
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
      return shape.of.shape.kind === 'any'
        ? 'list'
        : `list of ${takes(shape.of.shape, model)}${shape.alsoOne ? ', or one' : ''}`;
    case 'text map':
      return 'mapping of text to text';
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
