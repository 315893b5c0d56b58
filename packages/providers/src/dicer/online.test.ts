import { RUNNER_IMAGE } from '@rungar/emulators/dicer';
import { type RunnerToCheck, systemClock } from '@rungar/model';
import { afterEach, describe, expect, test } from 'vitest';
import { someDicerRunner } from '../../test/dicer-builders.js';
import { type DicerWorld, settingsFor, startDicerWorld } from '../../test/dicer-harness.js';
import { contextWith } from '../../test/ec2-harness.js';
import { checkDicer } from './online.js';
import type { DicerRunner, DicerSettings } from './settings.js';

const GIB = 1024n ** 3n;

let world: DicerWorld | undefined;
afterEach(async () => {
  await world?.close();
  world = undefined;
});

async function start(...how: Parameters<typeof startDicerWorld>): Promise<DicerWorld> {
  world = await startDicerWorld(...how);
  return world;
}

const runner = (scaleSet: string, spec: Partial<DicerRunner> = {}): RunnerToCheck<DicerRunner> => ({
  scaleSet,
  spec: someDicerRunner(spec),
});

const check = (settings: DicerSettings, runners: readonly RunnerToCheck<DicerRunner>[] = []) =>
  checkDicer(settings, runners, contextWith(systemClock), new AbortController().signal);

test('there is nothing to say when everything is there, and nothing is changed', async () => {
  const { settings, dicer } = await start('tls');
  expect(await check(settings, [runner('linux'), runner('big', { vcpus: 64, memory: 128n * GIB })])).toEqual([]);
  expect(dicer.stats().calls).toEqual({ GetHostInfo: 1, GetResources: 1, GetImage: 2 });
});

test('says for each runner what the host can never give, and which image it lacks', async () => {
  const { settings } = await start('socket', { images: [] });
  const findings = await check(settings, [
    runner('linux'),
    runner('big', { vcpus: 65, memory: 129n * GIB, disk: 1025n * GIB }),
  ]);
  expect(findings.map(({ severity, scaleSet, key, message }) => `${severity} ${scaleSet} ${key} ${message}`)).toEqual([
    'error big vcpus asks for 65, and the host gives at most 64',
    'error big memory asks for 129GiB, and the host gives at most 128GiB',
    'error big disk asks for 1.001TiB, and the host has 1TiB',
    `warning linux image names an image that the host does not have yet: "${RUNNER_IMAGE.ref}"`,
    `warning big image names an image that the host does not have yet: "${RUNNER_IMAGE.ref}"`,
  ]);
});

test.each([
  ['0.2.9', true],
  ['v0.2.99', true],
  ['0.3.0', false],
  ['v0.3.0-rc.1', false],
  ['0.10.0', false],
  ['1.0.0', false],
  ['devel', false],
])('a daemon of version %s is too old: %s', async (version, isTooOld) => {
  const { settings } = await start('socket', { version });
  const findings = await check(settings);
  expect(findings).toEqual(
    isTooOld
      ? [
          {
            severity: 'error',
            key: 'address',
            message: `is a Dicer daemon of version ${version}, which is too old`,
            hint: 'Install dicerd 0.3.0 or newer',
          },
        ]
      : [],
  );
});

test('a daemon that does not tell what it has is taken for large enough', async () => {
  const { settings, dicer } = await start('socket');
  dicer.refuseNext('GetResources', 'UNIMPLEMENTED');
  expect(await check(settings, [runner('big', { vcpus: 65 })])).toEqual([]);
});

describe('a daemon that cannot be asked', () => {
  test('is said of its address', async () => {
    expect(await check(settingsFor('unix:///nowhere/dicer.sock'))).toEqual([
      {
        severity: 'error',
        key: 'address',
        message: 'cannot be used: connect ENOENT /nowhere/dicer.sock',
        hint: expect.stringContaining('Start the Dicer daemon'),
      },
    ]);
  });

  test('is said of tls where it is that', async () => {
    const { settings } = await start('tls');
    const { tls, ...rest } = settings;
    const caFile = tls?.caFile ?? '';
    expect(await check({ ...rest, tls: { caFile } })).toMatchObject([{ severity: 'error', key: 'tls' }]);
  });

  test('is not waited for by somebody who has had enough', async () => {
    const { settings, dicer } = await start('socket');
    dicer.fault({ operation: 'GetHostInfo', kind: 'hang' });
    const stop = new AbortController();
    const checked = checkDicer(settings, [], contextWith(systemClock), stop.signal).catch((error: unknown) => error);
    const reason = new Error('enough');
    setImmediate(() => stop.abort(reason));
    expect(await checked).toBe(reason);
  });
});
