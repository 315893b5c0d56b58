import { manualClock } from '@rungar/emulators';
import { pveTemplate, RUNNER_PRIVILEGES } from '@rungar/emulators/proxmox';
import { Secret, systemClock } from '@rungar/model';
import { afterEach, describe, expect, test } from 'vitest';
import { type PveWorld, someContext, someRunner, startPveWorld } from '../../test/pve-harness.js';
import { checkProxmoxOnline } from './check-online.js';
import type { ProxmoxRunner, ProxmoxSettings } from './settings.js';
import { connectWithGot } from './transport.js';

let world: PveWorld | undefined;
afterEach(() => world?.close());

async function said(
  options: Parameters<typeof startPveWorld>[0] = {},
  spec: Partial<ProxmoxRunner> = {},
  settings: Partial<ProxmoxSettings> = {},
): Promise<string[]> {
  world = await startPveWorld(options);
  const runners = [{ scaleSet: 'linux', spec: someRunner(spec) }];
  const signal = new AbortController().signal;
  const all = { ...world.settings, ...settings };
  const findings = await checkProxmoxOnline(connectWithGot, all, runners, someContext(), signal);
  const changes = world.emulator.requests.filter(({ method }) => method !== 'GET');
  expect(changes).toEqual([]);
  return findings.map(({ severity, scaleSet = '', key = '', message }) => `${severity} ${scaleSet}.${key} ${message}`);
}

const tokenWith = (...privileges: string[]) => ({
  catalogue: { tokens: [{ id: 'a@pve!b', secret: 'c', privileges: { '/': privileges } }] },
});
const without = (...missing: string[]): string[] => RUNNER_PRIVILEGES.filter((one) => !missing.includes(one));

test('nothing is said of what is all right', async () => {
  expect(await said({}, { fullClone: true, storage: 'nas', pool: 'ci' }, { nodes: ['pve1'] })).toEqual([]);
});

describe('it names', () => {
  test.each<[string, string, Parameters<typeof said>]>([
    [
      'a node that is not there',
      'error .nodes.0 names a node that the cluster does not have: "PVE1"',
      [{}, {}, { nodes: ['PVE1'] }],
    ],
    [
      'a template that is not there',
      'error linux.template names a VM that does not exist: 9001',
      [{}, { template: 9001 }],
    ],
    [
      'a storage that is not there',
      'error linux.storage names a storage that does not exist: "x"',
      [{}, { fullClone: true, storage: 'x' }],
    ],
    ['a pool that is not there', 'error linux.pool names a pool that does not exist: "x"', [{}, { pool: 'x' }]],
    [
      'a token that is unknown',
      'error .token_id names a token that is not taken: no such token',
      [{}, {}, { tokenId: 'x@pve!y' }],
    ],
    [
      'a wrong secret',
      'error .token_id names a token that is not taken: invalid token value!',
      [{}, {}, { tokenSecret: new Secret('guess') }],
    ],
    [
      'a certificate it does not trust',
      'error .url has a certificate that is not trusted',
      [{}, {}, { tls: { insecureSkipVerify: false } }],
    ],
    [
      'a template it may not clone',
      'error linux.template needs the privilege VM.Clone on /vms/9000',
      [tokenWith(...without('VM.Clone'))],
    ],
    [
      "its template's bridge, which it may not use",
      'error linux.template needs the privilege SDN.Use on /sdn/zones/localnetwork/vmbr0',
      [tokenWith(...without('SDN.Use'))],
    ],
    [
      "its template's storage, which it may not fill",
      'error linux.template needs the privilege Datastore.AllocateSpace on /storage/ceph',
      [tokenWith(...without('Datastore.AllocateSpace'))],
    ],
    [
      'a node it may not look at',
      'error .token_id needs the privilege Sys.Audit on /nodes',
      [tokenWith(...without('Sys.Audit'))],
    ],
    [
      'an agent it may not write to',
      'error linux.jit_path needs the privilege VM.GuestAgent.FileWrite on /vms',
      [tokenWith(...without('VM.GuestAgent.FileWrite'))],
    ],
    [
      'an old agent it may not write to',
      'error linux.jit_path needs the privilege VM.Monitor on /vms',
      [{ version: '8.4.1' }],
    ],
    [
      'a pool it may not make VMs in',
      'error linux.pool needs the privilege VM.Allocate on /pool/ci',
      [tokenWith(...without('VM.Allocate')), { pool: 'ci' }],
    ],
  ])('%s', async (_, want, args) => {
    expect(await said(...args)).toContainEqual(expect.stringContaining(want));
  });

  test('a VM that is no template', async () => {
    world = await startPveWorld({ catalogue: { templates: [pveTemplate()] } });
    world.emulator.addVm({ name: 'a-database', vmid: 200 });
    const findings = await checkProxmoxOnline(
      connectWithGot,
      world.settings,
      [{ scaleSet: 'linux', spec: someRunner({ template: 200 }) }],
      someContext(),
      new AbortController().signal,
    );
    expect(findings).toMatchObject([{ key: 'template', message: 'names a VM that is not a template: 200' }]);
  });

  test('a node that is offline, as a warning', async () => {
    world = await startPveWorld();
    world.emulator.setOnline('pve2', false);
    const settings = { ...world.settings, nodes: ['pve2'] };
    expect(
      await checkProxmoxOnline(connectWithGot, settings, [], someContext(), new AbortController().signal),
    ).toMatchObject([{ severity: 'warning', key: 'nodes.0' }]);
  });
});

test('a privilege for all of the agent will do', async () => {
  const privileges = [...without('VM.GuestAgent.FileWrite', 'VM.GuestAgent.Audit'), 'VM.GuestAgent.Unrestricted'];
  expect(await said(tokenWith(...privileges))).toEqual([]);
});

test('a cluster that does not answer is no finding', async () => {
  world = await startPveWorld();
  world.emulator.fault({ operation: 'resources', kind: 'html' });
  const signal = new AbortController().signal;
  await expect(checkProxmoxOnline(connectWithGot, world.settings, [], someContext(), signal)).rejects.toMatchObject({
    code: 'unavailable',
  });
});

test.each([
  [-60_000, "ahead of the cluster's"],
  [60_000, "behind the cluster's"],
])('a clock that is off by %i ms is warned of', async (offset, want) => {
  const clock = manualClock(systemClock.wallNow() + offset);
  expect(await said({ clock })).toEqual([expect.stringContaining(want)]);
});
