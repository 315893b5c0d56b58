export { type AwsFilter, type AwsTag, awsTagFilters, parseAwsTags, toAwsTags } from './aws-tags.js';
export { canonicalJson } from './canonical-json.js';
export { parseDicerLabels, toDicerLabels } from './dicer-labels.js';
export {
  gcpLabelFilter,
  gcpLabelKey,
  gcpLabelValue,
  parseGcpMetadata,
  toGcpLabels,
  toGcpMetadata,
} from './gcp-labels.js';
export { installationOf, isInstallation } from './installation.js';
export { LABEL, type Labels, type RunnerIdentity, runnerLabels } from './keys.js';
export {
  createProxmoxTagger,
  type ProxmoxDescription,
  parseProxmoxDescription,
  parseProxmoxTags,
  proxmoxTag,
  toProxmoxDescription,
  toProxmoxTags,
} from './proxmox-tags.js';
export { revisionOf } from './revision.js';
export { isRunnerNameOf, runnerName } from './runner-name.js';
export { installationSelector, matchesSelector, scaleSetSelector } from './selector.js';
