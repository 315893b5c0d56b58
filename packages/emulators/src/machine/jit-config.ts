/** What a runner needs to know to connect to the emulated GitHub. */
export interface JitConfig {
  /** Where the runner's own endpoints are, without a slash at the end. */
  readonly serverUrl: string;
  readonly scaleSetId: number;
  readonly runnerId: number;
  readonly name: string;
  readonly secret: string;
}

/**
 * Encodes a configuration the way GitHub does: base64 of a JSON object that maps the names of the runner's
 * configuration files to their contents, themselves in base64.
 */
export function encodeJitConfig(config: JitConfig): string {
  const { secret, ...runner } = config;
  return toBase64({
    '.runner': toBase64(runner),
    '.credentials': toBase64({ scheme: 'OAuth', data: { secret } }),
  });
}

/**
 * Decodes what {@link encodeJitConfig} made.
 * @throws Error when it is not that
 */
export function decodeJitConfig(encoded: string): JitConfig {
  const files = fromBase64(encoded);
  const runner = fromBase64(textOf(files, '.runner'));
  const { data } = fromBase64(textOf(files, '.credentials'));
  if (typeof data !== 'object' || data === null) throw new Error('the configuration has no credentials');
  return {
    serverUrl: textOf(runner, 'serverUrl'),
    name: textOf(runner, 'name'),
    scaleSetId: numberOf(runner, 'scaleSetId'),
    runnerId: numberOf(runner, 'runnerId'),
    secret: textOf(data as Record<string, unknown>, 'secret'),
  };
}

function toBase64(value: unknown): string {
  return Buffer.from(JSON.stringify(value), 'utf8').toString('base64');
}

function fromBase64(text: string): Record<string, unknown> {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text)) throw new Error('the configuration is not base64');
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(text, 'base64').toString('utf8'));
  } catch (error) {
    throw new Error('the configuration is not JSON in base64', { cause: error });
  }
  if (typeof value !== 'object' || value === null) throw new Error('the configuration is not a JSON object');
  return value as Record<string, unknown>;
}

function textOf(from: Record<string, unknown>, key: string): string {
  const value = from[key];
  if (typeof value !== 'string' || value === '') throw new Error(`the configuration has no ${key}`);
  return value;
}

function numberOf(from: Record<string, unknown>, key: string): number {
  const value = from[key];
  if (typeof value !== 'number') throw new Error(`the configuration has no ${key}`);
  return value;
}
