import type { Delivery } from '../machine/delivery.js';

const SERVER = '/computeMetadata/v1/instance/attributes';

/**
 * What a machine finds when it runs its startup script: the value of the metadata item that the script reads from the
 * metadata server. Without a script nothing runs.
 */
export function deliveryOf(
  metadata: readonly { readonly key: string; readonly value: string }[],
): Delivery | undefined {
  const script = metadata.find(({ key }) => key === 'startup-script')?.value;
  if (script === undefined) return undefined;
  if (!script.startsWith('#!') || !script.includes(SERVER)) return { kind: 'user-data', text: script };
  const read = metadata.find(({ key }) => key !== 'startup-script' && script.includes(`/${key}`));
  return { kind: 'jit-config', text: read?.value ?? '' };
}
