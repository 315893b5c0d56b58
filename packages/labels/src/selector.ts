import type { Labels } from '@rungar/model';
import { requireInstallation } from './installation.js';
import { LABEL, requireName } from './keys.js';

/**
 * What the labels of every machine of one scale set carry: managed, the installation and the scale set's name.
 * @throws an error of code `invalid_argument` when the installation breaks its rule or the name is empty
 */
export function scaleSetSelector(installation: string, scaleSet: string): Labels {
  requireName(scaleSet, 'the scale set name');
  return { ...installationSelector(installation), [LABEL.scaleSet]: scaleSet };
}

/**
 * What the labels of every machine of one installation carry, whatever its scale set.
 * @throws an error of code `invalid_argument` when the installation breaks its rule
 */
export function installationSelector(installation: string): Labels {
  requireInstallation(installation);
  return { [LABEL.managed]: 'true', [LABEL.installation]: installation };
}

/**
 * Whether `labels` has every key of `selector` with exactly its value. Other labels do not matter, and an empty
 * selector matches everything.
 */
export function matchesSelector(labels: Labels, selector: Labels): boolean {
  for (const key of Object.keys(selector)) {
    if (!Object.hasOwn(labels, key) || labels[key] !== selector[key]) return false;
  }
  return true;
}
