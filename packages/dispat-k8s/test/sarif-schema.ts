const text = {
  type: 'object',
  required: ['text'],
  additionalProperties: false,
  properties: { text: { type: 'string', minLength: 1 } },
} as const;
const level = { enum: ['none', 'note', 'warning', 'error'] } as const;
const positive = { type: 'integer', minimum: 1 } as const;

/**
 * The part of SARIF 2.1.0 (OASIS, sections 3.13 to 3.58) that this package writes, stricter than the standard: a property
 * outside of it is refused.
 */
export const sarifSchema = {
  type: 'object',
  required: ['version', 'runs'],
  additionalProperties: false,
  properties: {
    $schema: { type: 'string', pattern: '^https://' },
    version: { const: '2.1.0' },
    runs: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        required: ['tool', 'results'],
        additionalProperties: false,
        properties: {
          columnKind: { enum: ['utf16CodeUnits', 'unicodeCodePoints'] },
          tool: {
            type: 'object',
            required: ['driver'],
            additionalProperties: false,
            properties: {
              driver: {
                type: 'object',
                required: ['name', 'rules'],
                additionalProperties: false,
                properties: {
                  name: { type: 'string', minLength: 1 },
                  semanticVersion: { type: 'string', pattern: '^[0-9]+\\.[0-9]+\\.[0-9]+' },
                  rules: {
                    type: 'array',
                    uniqueItems: true,
                    items: {
                      type: 'object',
                      required: ['id'],
                      additionalProperties: false,
                      properties: {
                        id: { type: 'string' },
                        name: { type: 'string', pattern: '^[A-Za-z0-9]+$' },
                        shortDescription: text,
                        fullDescription: text,
                        help: text,
                        defaultConfiguration: { type: 'object', additionalProperties: false, properties: { level } },
                        properties: { type: 'object' },
                      },
                    },
                  },
                },
              },
            },
          },
          results: {
            type: 'array',
            items: {
              type: 'object',
              required: ['message'],
              additionalProperties: false,
              properties: {
                ruleId: { type: 'string' },
                ruleIndex: { type: 'integer', minimum: 0 },
                level,
                message: text,
                suppressions: {
                  type: 'array',
                  items: {
                    type: 'object',
                    required: ['kind'],
                    additionalProperties: false,
                    properties: { kind: { enum: ['inSource', 'external'] }, justification: { type: 'string' } },
                  },
                },
                locations: {
                  type: 'array',
                  items: {
                    type: 'object',
                    additionalProperties: false,
                    properties: {
                      physicalLocation: {
                        type: 'object',
                        required: ['artifactLocation'],
                        additionalProperties: false,
                        properties: {
                          artifactLocation: {
                            type: 'object',
                            additionalProperties: false,
                            properties: { uri: { type: 'string', pattern: '^[^ \\\\]+$' } },
                          },
                          region: {
                            type: 'object',
                            required: ['startLine'],
                            additionalProperties: false,
                            properties: { startLine: positive, startColumn: positive },
                          },
                        },
                      },
                      logicalLocations: {
                        type: 'array',
                        items: {
                          type: 'object',
                          additionalProperties: false,
                          properties: {
                            name: { type: 'string' },
                            fullyQualifiedName: { type: 'string' },
                            kind: { type: 'string' },
                          },
                        },
                      },
                    },
                  },
                },
              },
            },
          },
        },
      },
    },
  },
} as const;
