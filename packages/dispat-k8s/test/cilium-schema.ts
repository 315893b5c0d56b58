import { Ajv } from 'ajv';

/** A closed object: members it does not name are refused. */
function closed(properties: Readonly<Record<string, object>>, ...required: readonly string[]): object {
  return { type: 'object', properties, required, additionalProperties: false };
}

const list = (items: object): object => ({ type: 'array', items, minItems: 1 });

const LABEL_VALUE = { type: 'string', maxLength: 63, pattern: '^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$' };
const STRINGS = { type: 'object', additionalProperties: { type: 'string' } };
const CIDR = { type: 'string', pattern: '^[0-9A-Fa-f.:]+/[0-9]{1,3}$' };

const SELECTOR = closed({
  matchLabels: { type: 'object', additionalProperties: LABEL_VALUE },
  matchExpressions: list(
    closed(
      {
        key: { type: 'string', minLength: 1 },
        operator: { enum: ['In', 'NotIn', 'Exists', 'DoesNotExist'] },
        values: { type: 'array', items: { type: 'string' } },
      },
      'key',
      'operator',
    ),
  ),
});

const NAME = {
  ...closed({
    matchName: { type: 'string', maxLength: 255, pattern: '^([-a-zA-Z0-9_]+[.]?)+$' },
    matchPattern: { type: 'string', maxLength: 255, pattern: '^([-a-zA-Z0-9_*]+[.]?)+$' },
  }),
  oneOf: [{ required: ['matchName'] }, { required: ['matchPattern'] }],
};

const PORT_RULE = closed({
  ports: {
    ...list(
      closed(
        {
          port: { type: 'string', pattern: '^[0-9]{1,5}$' },
          endPort: { type: 'integer', minimum: 0, maximum: 65_535 },
          protocol: { enum: ['TCP', 'UDP', 'SCTP', 'ICMP', 'ICMPV6', 'ANY'] },
        },
        'port',
      ),
    ),
    maxItems: 40,
  },
  rules: closed({ dns: list(NAME) }),
});

const EGRESS = {
  ...closed({
    toEndpoints: list(SELECTOR),
    toCIDR: list(CIDR),
    toCIDRSet: list(closed({ cidr: CIDR, except: list(CIDR) }, 'cidr')),
    toFQDNs: list(NAME),
    toPorts: list(PORT_RULE),
  }),
  // Cilium refuses a rule that has destinations of two kinds.
  oneOf: ['toEndpoints', 'toCIDR', 'toCIDRSet', 'toFQDNs'].map((kind) => ({ required: [kind] })),
};

/**
 * The parts of Cilium's own description of a CiliumNetworkPolicy (`cilium.io/v2`) that are generated, closed: a
 * misspelt member is refused.
 * @see https://docs.cilium.io/en/stable/security/policy/language/
 */
const SCHEMA = closed(
  {
    apiVersion: { const: 'cilium.io/v2' },
    kind: { const: 'CiliumNetworkPolicy' },
    metadata: closed(
      { name: { type: 'string', minLength: 1 }, namespace: { type: 'string' }, labels: STRINGS, annotations: STRINGS },
      'name',
    ),
    spec: closed(
      { endpointSelector: SELECTOR, ingress: list(closed({})), egress: list(EGRESS) },
      'endpointSelector',
      'egress',
    ),
  },
  'apiVersion',
  'kind',
  'metadata',
  'spec',
);

/** What is wrong with a CiliumNetworkPolicy, a line each. */
export function faultsOfCiliumPolicy(object: unknown): string[] {
  const validate = new Ajv({ strict: false, allErrors: true }).compile(SCHEMA);
  if (validate(object)) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath}: ${message}`);
}
