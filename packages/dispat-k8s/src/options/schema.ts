import { OPTIONS, type OptionRow } from './table.js';

type Schema = Readonly<Record<string, unknown>>;

/**
 * The JSON Schema (draft 07) of the options file, for editors: which keys there are and what form each value has. What
 * values mean together is checked by `generate` alone.
 */
export function optionsSchema(): Schema {
  const rows: [string, OptionRow][] = Object.entries(OPTIONS);
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: "A dispat worker pool's options",
    type: 'object',
    properties: {
      $schema: { type: 'string' },
      ...Object.fromEntries(rows.map(([key, row]) => [key, { description: describe(row), ...formOf(row) }])),
    },
    additionalProperties: false,
  };
}

function describe({ describe, default: fallback }: OptionRow): string {
  return fallback === undefined ? describe : `${describe} (${fallback} if absent)`;
}

/** A text may be written without quotes, and then be a number to an editor. */
const TEXT: Schema = { type: ['string', 'number', 'boolean'] };

function formOf(row: OptionRow): Schema {
  switch (row.kind) {
    case 'text':
      return TEXT;
    case 'choice':
      return { enum: row.words };
    case 'integer':
      return { type: 'integer', minimum: row.min, maximum: row.max };
    case 'boolean':
      return { type: 'boolean' };
    case 'texts':
      return { anyOf: [TEXT, { type: 'array', items: TEXT }] };
    case 'map':
      return { type: 'object', additionalProperties: TEXT };
    case 'object':
      return { type: 'object' };
    case 'objects':
      return { type: 'array', items: { type: ['object', 'string'] } };
  }
}
