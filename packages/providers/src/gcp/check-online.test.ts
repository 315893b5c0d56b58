import { createRedactor, type OnlineFinding, type RunnerToCheck, silentLogger, systemRandom } from '@rungar/model';
import { fakeClock } from '@rungar/model/testing';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type GceWorld, startGceWorld, WARM_UP_MS, warmUp } from '../../test/gce-harness.js';
import { someRunner } from '../../test/gcp-builders.js';
import { checkGcpOnline } from './check-online.js';
import type { GcpRunner, GcpSettings } from './settings.js';

beforeAll(warmUp, WARM_UP_MS);

let world: GceWorld;

beforeEach(async () => {
  const properties = { machineType: 'e2-small' };
  world = await startGceWorld({ catalogue: { instanceTemplates: [{ name: 'base', properties }] } });
});
afterEach(() => world.close());

const runner = (spec: Partial<GcpRunner>): RunnerToCheck<GcpRunner> => ({ scaleSet: 'linux', spec: someRunner(spec) });

function check(
  runners: readonly RunnerToCheck<GcpRunner>[] = [runner({})],
  more: Partial<GcpSettings> = {},
  wallNow = Date.now(),
): Promise<readonly OnlineFinding[]> {
  const context = {
    name: 'cloud',
    clock: { ...fakeClock(), wallNow: () => wallNow },
    random: systemRandom,
    logger: silentLogger,
    redactor: createRedactor(),
  };
  return checkGcpOnline({ ...world.settings, ...more }, runners, context, new AbortController().signal);
}

const said = (findings: readonly OnlineFinding[]): string[] =>
  findings.map(({ severity, key, message }) => `${severity} ${key ?? '-'} ${message}`);

test('nothing is wrong with what is there, and nothing is changed', async () => {
  const template = runner({ instanceTemplate: 'base', image: '', machineTypes: [] });
  const family = runner({ image: 'projects/debian-cloud/global/images/family/debian-12' });
  expect(await check([runner({}), template, family], { network: 'default', subnetwork: 'default' })).toEqual([]);
  expect(world.emulator.requests.every(({ method }) => method === 'GET')).toBe(true);
  expect(world.emulator.instances()).toEqual([]);
});

test('all that is not there is told at once', async () => {
  const findings = await check(
    [
      runner({ image: 'other', machineTypes: ['e9-small', 'e2-small'] }),
      runner({ instanceTemplate: 'other', image: '' }),
    ],
    { zones: ['europe-west1-z', 'europe-west1-b'], network: 'other', subnetwork: 'other' },
  );
  expect(said(findings)).toEqual([
    'error zones.0 names a zone that does not exist: "europe-west1-z"',
    'error network names a network that does not exist: "other"',
    'error subnetwork names a subnetwork that does not exist: "other"',
    'error image names an image that does not exist: "other"',
    'warning machine_type names a machine type that none of the zones has (europe-west1-z, europe-west1-b): "e9-small"',
    'error instance_template names an instance template that does not exist: "other"',
  ]);
  expect(findings.filter(({ scaleSet }) => scaleSet === 'linux')).toHaveLength(3);
});

test('a block whose types are nowhere to be had is wrong', async () => {
  expect(said(await check([runner({ machineTypes: ['e9-small'] })]))).toEqual([
    'error machine_type names a machine type that none of the zones has (europe-west1-b, europe-west1-c): "e9-small"',
  ]);
});

test.each<[string, string, Partial<GcpSettings>, { status: number; reason: string } | undefined]>([
  ['another project', 'error project names a project that does not exist', { project: 'other-project' }, undefined],
  ['a token that is not taken', 'error - has no credential that works', {}, { status: 401, reason: 'authError' }],
  ['no permission to list', 'error - has a credential that may not list', {}, { status: 403, reason: 'forbidden' }],
  ['a file that is not there', 'error - cannot be asked: credentials_file', { credentialsFile: '/none' }, undefined],
])('%s is all that is told', async (_, want, more, refusal) => {
  if (refusal) world.emulator.refuseNext('instances.list', refusal);
  expect(said(await check([runner({ image: 'other' })], more))).toEqual([expect.stringContaining(want)]);
});

test('what the credential may not look at is told in one warning', async () => {
  world.emulator.deny('compute.images.get');
  world.emulator.deny('compute.machineTypes.get');
  expect(said(await check([runner({ image: 'other', machineTypes: ['e9-small'] })]))).toEqual([
    'warning - could not be checked as a whole: the credential lacks compute.images.get, compute.machineTypes.get',
  ]);
});

test('a clock that is off is told', async () => {
  expect(said(await check([], {}, Date.now() + 120_000))).toEqual([
    expect.stringMatching(/^warning - .*this host's clock is 2m\ds ahead of Google's$/),
  ]);
});

test('no answer is an error of its own', async () => {
  world.emulator.fault({ operation: 'instances.list', kind: 'reset' });
  await expect(check()).rejects.toMatchObject({ code: 'unavailable' });
  world.emulator.fault({ operation: 'images.get', kind: 'html' });
  await expect(check()).rejects.toMatchObject({ code: 'unavailable' });
});
