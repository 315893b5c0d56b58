/** A service, a message or what holds some, as protobuf.js writes them down. */
interface Description {
  readonly nested?: Descriptions;
  readonly fields?: Readonly<Record<string, { readonly type: string }>>;
  readonly methods?: Readonly<Record<string, { readonly requestType: string; readonly responseType: string }>>;
}

type Descriptions = Readonly<Record<string, Description>>;

/** Where the services and messages of Compute Engine are: the first version, beside others that nothing of it names. */
const API = ['google', 'cloud', 'compute'];
const VERSION = 'v1';

/**
 * The descriptions of Compute Engine's API cut down to one service and the messages it comes to. The library prepares
 * every message it is given before the first call, and one service has a twentieth of them at most.
 * @returns everything where they are not laid out as expected
 */
export function onlyService(all: object, service: string): object {
  return within(all, API, (versions) => {
    const api = versions[VERSION];
    if (!api?.nested || !Object.hasOwn(api.nested, service)) return versions;
    return { [VERSION]: { ...api, nested: reachedFrom(service, api.nested) } };
  });
}

/** A copy of `description` in which `change` has changed what is nested at the end of `path`. */
function within(
  description: Description,
  path: readonly string[],
  change: (nested: Descriptions) => Descriptions,
): Description {
  const { nested } = description;
  const [step, ...rest] = path;
  if (!nested) return description;
  if (step === undefined) return { ...description, nested: change(nested) };
  const inner = nested[step];
  return inner ? { ...description, nested: { ...nested, [step]: within(inner, rest, change) } } : description;
}

function reachedFrom(service: string, everything: Descriptions): Descriptions {
  const reached = new Set([service]);
  // A set is walked through to what is added on the way.
  for (const name of reached) {
    for (const type of typesIn(everything[name])) {
      const [first = ''] = type.split('.');
      if (Object.hasOwn(everything, first)) reached.add(first);
    }
  }
  return Object.fromEntries(Object.entries(everything).filter(([name]) => reached.has(name)));
}

/** The types a description names, as it names them. */
function typesIn({ nested = {}, fields = {}, methods = {} }: Description = {}): string[] {
  return [
    ...Object.values(fields).map(({ type }) => type),
    ...Object.values(methods).flatMap(({ requestType, responseType }) => [requestType, responseType]),
    ...Object.values(nested).flatMap(typesIn),
  ];
}
