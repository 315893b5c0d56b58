import { awsType } from '@rungar/providers/aws';
import { parse } from '@rungar/yaml-source';

/**
 * An open provider of type aws, and what a runner on it is. The provider's own type reads both from text, as it does
 * from a configuration file; `openAws` takes settings that are checked already.
 *
 * @param {import('@rungar/emulators/aws').Ec2Emulator} ec2
 * @param {Omit<import('@rungar/model').ProviderContext, 'name'>} context
 */
export async function openCloud({ region, url, catalogue }, context) {
  /** @type {import('@rungar/model').Problem[]} */
  const problems = [];
  const sink = { add: (/** @type {import('@rungar/model').Problem} */ problem) => void problems.push(problem) };
  const entry = mapOf(`{region: ${region}, endpoint_url: "${url}", subnets: [${catalogue.subnets[0]?.id}]}`);
  const block = mapOf(`{instance_type: [m6i.large, m5.large], image: ${catalogue.images[0]?.id}}`);

  const configured = awsType.configure(entry, 'cloud', sink);
  const runner = configured?.parseRunner(block, block.place, 'cloud.runner', sink);
  if (!configured || !runner) throw new Error(problems.map(({ path, message }) => `${path} ${message}`).join('\n'));
  const provider = await configured.open({ ...context, name: 'cloud' });
  return { provider, runner, endpoint: configured.endpoint };
}

/** @param {string} text */
function mapOf(text) {
  const { root } = parse(text, { file: 'cloud' });
  if (root.kind !== 'map') throw new TypeError(`no mapping: ${text}`);
  return root;
}
