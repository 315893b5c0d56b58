import { awsType } from '@rungar/providers/aws';
import { expect, test } from 'vitest';
import { formatProblem } from './format-problem.js';
import { parseConfig } from './parse.js';

const TEXT = `version: 1
github:
  url: https://github.com/acme
  app_client_id: Iv1.0123456789abcdef
  app_installation_id: 4242
  app_private_key_path: /etc/rungar/app.pem
providers:
  - &frankfurt
    name: frankfurt
    type: aws
    region: eu-central-1
    subnets: [subnet-0a1b2c3d]
    runner:
      image: ami-0a1b2c3d4e5f60718
      user_data: "#!/bin/sh\\nexec /opt/run\\n"
      disk_size: 80GiB
  - <<: *frankfurt
    name: ireland
    region: eu-west-1
scale_sets:
  - name: linux
    max_runners: 12
    providers:
      - name: frankfurt
        runner: {instance_type: m7i.xlarge, disk_size: null}
      - name: ireland
        runner: {instance_type: [m7i.xlarge], disk_size: 50GiB}
`;

const read = (text: string): ReturnType<typeof parseConfig> => parseConfig(text, { file: 'c.yaml', types: [awsType] });

test('blocks merged from provider and scale set have the revision of the block they come to', () => {
  const { settings, problems } = read(TEXT);
  expect(problems).toEqual([]);
  expect(settings?.scaleSets[0]?.providers.map(({ name, revision, size }) => [name, revision, size])).toEqual([
    ['frankfurt', 'a77297f56884', 'm7i.xlarge'],
    ['ireland', 'a77297f56884', 'm7i.xlarge'],
  ]);
  expect(settings?.providers.map(({ configured }) => configured.endpoint)).toEqual([
    'aws:eu-central-1',
    'aws:eu-west-1',
  ]);
});

test('one region twice is one backend twice', () => {
  expect(read(TEXT.replace('eu-west-1', 'eu-central-1')).problems.map(formatProblem)).toEqual([
    'c.yaml:18:11: providers[1]: providers "frankfurt" and "ireland" are one backend, aws:eu-central-1 (keep one of them)',
  ]);
});

test('a mistake is shown where it was written', () => {
  expect(read(TEXT.replace('disk_size: 50GiB', 'disk_size: 50.5GiB, spott: on')).problems.map(formatProblem)).toEqual([
    'c.yaml:27:58: scale_sets[0].providers[1].runner.disk_size: must be whole GiB, not 50.5GiB, on provider "ireland", in scale set "linux"',
    'c.yaml:27:67: scale_sets[0].providers[1].runner.spott: is not a known key, on provider "ireland", in scale set "linux" (did you mean spot?)',
  ]);
});
