import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { createGenerator } from 'ts-json-schema-generator';

/** The types of Kubernetes' own objects, by kind. The group's index must be named: a deeper path gives an empty schema. */
const KINDS: Readonly<Record<string, readonly [module: string, type: string]>> = {
  Job: ['kubernetes-models/batch/v1', 'IJob'],
  StatefulSet: ['kubernetes-models/apps/v1', 'IStatefulSet'],
  Deployment: ['kubernetes-models/apps/v1', 'IDeployment'],
  NetworkPolicy: ['kubernetes-models/networking.k8s.io/v1', 'INetworkPolicy'],
  PodDisruptionBudget: ['kubernetes-models/policy/v1', 'IPodDisruptionBudget'],
  Namespace: ['kubernetes-models/v1', 'INamespace'],
  ServiceAccount: ['kubernetes-models/v1', 'IServiceAccount'],
  ConfigMap: ['kubernetes-models/v1', 'IConfigMap'],
  Secret: ['kubernetes-models/v1', 'ISecret'],
  Service: ['kubernetes-models/v1', 'IService'],
  PersistentVolumeClaim: ['kubernetes-models/v1', 'IPersistentVolumeClaim'],
};

export interface StrictSchema {
  readonly kinds: readonly string[];
  /** What is wrong with an object, a line each: misspelt fields, wrong types and missing members at any depth. */
  faultsOf(object: unknown): string[];
}

/** Makes strict schemas of Kubernetes' objects out of their types. Takes a few seconds. */
export function strictKubernetesSchema(): StrictSchema {
  // Beside the package's modules, so that the types are found.
  const folder = mkdtempSync(join(import.meta.dirname, '..', 'node_modules', '.kinds-'));
  try {
    return compile(schemaOfTypes(folder));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function schemaOfTypes(folder: string): object {
  const imports = Object.values(KINDS).map(([module, type]) => `import type { ${type} } from '${module}';`);
  const members = Object.entries(KINDS).map(([kind, [, type]]) => `  ${kind}: ${type};`);
  const path = join(folder, 'kinds.ts');
  const tsconfig = join(folder, 'tsconfig.json');
  writeFileSync(path, `${imports.join('\n')}\nexport interface Kinds {\n${members.join('\n')}\n}\n`);
  writeFileSync(
    tsconfig,
    JSON.stringify({
      compilerOptions: {
        module: 'NodeNext',
        moduleResolution: 'NodeNext',
        target: 'ES2022',
        strict: true,
        noEmit: true,
        skipLibCheck: true,
        types: [],
      },
      files: ['kinds.ts'],
    }),
  );
  return createGenerator({ path, tsconfig, type: 'Kinds', skipTypeCheck: true }).createSchema('Kinds');
}

function compile(schema: object): StrictSchema {
  const ajv = new Ajv({ strict: false, allErrors: true });
  ajv.addSchema(schema, 'kubernetes');
  const validators = new Map<string, ValidateFunction>();
  for (const [kind, [, type]] of Object.entries(KINDS)) {
    const validate = ajv.getSchema(`kubernetes#/definitions/${type}`);
    if (validate !== undefined) validators.set(kind, validate);
  }
  return {
    kinds: [...validators.keys()],
    faultsOf(object) {
      const kind = typeof object === 'object' && object !== null && 'kind' in object ? String(object.kind) : '';
      const validate = validators.get(kind);
      if (validate === undefined) return [`no schema for ${kind}`];
      return validate(object) ? [] : (validate.errors ?? []).map(line);
    },
  };
}

function line({ instancePath, message, params }: ErrorObject): string {
  return `${instancePath}: ${message} ${JSON.stringify(params)}`;
}
