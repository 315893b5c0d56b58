const WORDS = new Set(['TOKEN', 'PASSWORD', 'PASSWD', 'SECRET', 'APIKEY', 'CREDENTIALS']);
const PAIRS = ['API_KEY', 'PRIVATE_KEY'];

/** Whether a variable's name says that it holds a credential: one of the words, whole, between underscores. */
export function credentialName(name: string): boolean {
  const upper = name.toUpperCase();
  return upper.split('_').some((word) => WORDS.has(word)) || PAIRS.some((pair) => `_${upper}_`.includes(`_${pair}_`));
}

const PUBLISH_NAMES = new Set([
  'NPM_TOKEN',
  'NODE_AUTH_TOKEN',
  'CARGO_REGISTRY_TOKEN',
  'GITHUB_TOKEN',
  'GH_TOKEN',
  'GEM_HOST_API_KEY',
]);
const PUBLISH_PREFIXES = ['TWINE_', 'DOCKER_', 'MAVEN_', 'NUGET_', 'AWS_', 'GOOGLE_'];

/** Whether a name is one that registries' own tools take a credential from. */
export function isPublishCredential(name: string): boolean {
  const upper = name.toUpperCase().replaceAll('-', '_').replaceAll('.', '_');
  return PUBLISH_NAMES.has(upper) || PUBLISH_PREFIXES.some((prefix) => upper.startsWith(prefix));
}
