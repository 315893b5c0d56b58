import { askOnce } from '../shared/ask-once.js';
import type { ListedVm } from './resources.js';

type Template = Pick<ListedVm, 'node' | 'vmid'>;

/**
 * The storage a template is on, asked for once. Where it cannot be told, the template stands for it: it only says which
 * clones are kept apart.
 * @param ask must not depend on any one caller
 */
export function watchTemplateStorage(
  ask: (template: Template) => Promise<string | undefined>,
): (template: Template) => Promise<string> {
  const known = askOnce((key) => {
    const [vmid, node = ''] = key.split(' ');
    return ask({ vmid: Number(vmid), node });
  });
  return async ({ vmid, node }) => {
    const storage = await known(`${vmid} ${node}`).catch(() => undefined);
    return storage ?? `template ${vmid}`;
  };
}
