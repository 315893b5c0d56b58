import type { ProviderType } from '@rungar/model';
import {
  EVENTS_FIELDS,
  GITHUB_FIELDS,
  METRICS_FIELDS,
  PAGE_FIELDS,
  PROVIDER_FIELDS,
  SCALE_SET_FIELDS,
  SCALE_SET_PROVIDER_FIELDS,
  SCHEDULE_FIELDS,
  TOP_FIELDS,
  WINDOW_FIELDS,
} from '../fields.js';
import { FORMAT } from '../format/format.js';
import { fieldSchema, mappingSchema, orNull } from './field-schema.js';
import type { JsonSchema } from './json-schema.js';

const CREDENTIALS = [['token'], ['token_path'], ['app_client_id', 'app_installation_id']] as const;

/**
 * The JSON Schema of a configuration file, for editors: made from the same declarations that read the file, so that
 * the two cannot differ in keys, kinds and bounds.
 *
 * It takes every file that {@link parseConfig} takes, with two exceptions. It also looks at what nothing uses: a runner
 * block of a provider that no scale set names, or a key of one that every scale set writes over. And in a file that
 * begins with `%YAML 1.1` an editor reads an unquoted `22:00` as a number. What only the whole file can tell (names,
 * references, two keys that exclude each other) is left to {@link parseConfig}.
 * @param types the types a provider can be of; one that declares no keys may have any
 * @see docs/guides/configuration.md
 */
export function configSchema(types: readonly ProviderType[]): JsonSchema {
  const sorted = [...types].sort((a, b) => (a.type < b.type ? -1 : 1));
  const top = mappingSchema(
    TOP_FIELDS,
    {},
    {
      version: { type: ['integer', 'null'], minimum: FORMAT.oldest, maximum: FORMAT.current, default: FORMAT.current },
      github: { ...mappingSchema(GITHUB_FIELDS), anyOf: CREDENTIALS.map((required) => ({ required })) },
      providers: { items: ref('provider') },
      scale_sets: { items: ref('scale_set') },
      metrics: orNull(mappingSchema(METRICS_FIELDS)),
      page: orNull(mappingSchema(PAGE_FIELDS)),
      events: orNull(mappingSchema(EVENTS_FIELDS)),
    },
  );
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Configuration of Rungar',
    ...top,
    required: ['github', ...(top.required ?? [])],
    definitions: {
      provider: providerSchema(sorted),
      ...Object.fromEntries(sorted.map((type) => [entryName(type), entrySchema(type)])),
      ...Object.fromEntries(sorted.map((type) => [runnerName(type), runnerSchema(type)])),
      scale_set: mappingSchema(
        SCALE_SET_FIELDS,
        {},
        {
          schedule: orNull(mappingSchema(SCHEDULE_FIELDS, {}, { windows: { items: mappingSchema(WINDOW_FIELDS) } })),
          providers: { items: scaleSetProviderSchema(sorted) },
        },
      ),
    },
  };
}

function providerSchema(types: readonly ProviderType[]): JsonSchema {
  const { name, type } = PROVIDER_FIELDS;
  return {
    type: 'object',
    properties: {
      name: fieldSchema(name),
      type: { description: fieldSchema(type).description ?? '', enum: types.map((each) => each.type) },
    },
    required: ['name', 'type'],
    allOf: types.map((each) => ({
      if: { properties: { type: { not: { const: each.type } } } },
      else: ref(entryName(each)),
    })),
  };
}

/** A provider's whole entry: the keys each has, and those of its type. */
function entrySchema(type: ProviderType): JsonSchema {
  const schema = mappingSchema(
    { ...PROVIDER_FIELDS, ...type.fields?.entry },
    {},
    { type: { type: 'string', const: type.type }, runner: { anyOf: [ref(runnerName(type)), { type: 'null' }] } },
  );
  return { title: `A provider of type ${type.type}`, ...schema, additionalProperties: type.fields === undefined };
}

/** A runner block. Nothing is missing in one of its two places: the other may have it. */
function runnerSchema(type: ProviderType): JsonSchema {
  const title = `A runner on ${type.type}`;
  return type.fields === undefined
    ? { title, type: 'object' }
    : { title, ...mappingSchema(type.fields.runner, { partial: true }) };
}

/** Of which type a provider is stands elsewhere in the file, so that a block of any type will do. */
function scaleSetProviderSchema(types: readonly ProviderType[]): JsonSchema {
  const { name } = SCALE_SET_PROVIDER_FIELDS;
  const runner = { anyOf: [...types.map((type) => ref(runnerName(type))), { type: 'null' } as const] };
  return {
    anyOf: [fieldSchema(name), mappingSchema(SCALE_SET_PROVIDER_FIELDS, {}, { runner })],
  };
}

function entryName({ type }: ProviderType): string {
  return `provider_${type}`;
}

function runnerName({ type }: ProviderType): string {
  return `runner_${type}`;
}

function ref(definition: string): JsonSchema {
  return { $ref: `#/definitions/${definition}` };
}
