import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { startGitHubEmulator } from '@rungar/emulators/github';
import { defaultCatalogue } from '@rungar/emulators/proxmox';
import { createAppRegistrar } from '@rungar/github';
import { type Labels, Secret } from '@rungar/model';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { checkProxmoxOnline } from '../packages/providers/src/proxmox/check-online.js';
import { connectWithGot } from '../packages/providers/src/proxmox/transport.js';
import { labelsOf } from '../packages/providers/test/aws-builders.js';
import { startEc2World } from '../packages/providers/test/ec2-harness.js';
import { someContext, someRequest, someRunner, startPveWorld } from '../packages/providers/test/pve-harness.js';

// What is under deploy/permissions/ grants what the providers ask for, and nothing else.

const root = resolve(import.meta.dirname, '..');
const permissions = join(root, 'deploy/permissions');
const signal = AbortSignal.timeout(60_000);

function read(name: string): string {
  return readFileSync(join(permissions, name), 'utf8');
}

/** The source of one provider, without its tests. */
function sourceOf(provider: string): string {
  const folder = join(root, 'packages/providers/src', provider);
  const files = readdirSync(folder).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'));
  return files.map((name) => readFileSync(join(folder, name), 'utf8')).join('\n');
}

const sorted = (names: Iterable<string>): string[] => [...new Set(names)].sort();

describe('aws-policy.json', () => {
  interface Statement {
    readonly Action: string | readonly string[];
    readonly Resource: string | readonly string[];
    readonly Condition?: { readonly StringEquals: Readonly<Record<string, string>> };
  }
  const { Statement: statements } = JSON.parse(read('aws-policy.json')) as { Statement: Statement[] };
  const of = <T>(one: T | readonly T[]): readonly T[] => (Array.isArray(one) ? one : [one as T]);
  const granting = (action: string): Statement[] => statements.filter(({ Action }) => of(Action).includes(action));

  test('grants the actions the provider calls, and the tagging that is a part of a creation', () => {
    const called = [...sourceOf('aws').matchAll(/new sdk\.(\w+)Command\(/g)].map(([, name]) => `ec2:${name}`);
    expect(called.length).toBeGreaterThan(8);
    expect(sorted(statements.flatMap(({ Action }) => of(Action)))).toEqual(sorted([...called, 'ec2:CreateTags']));
  });

  test('lets nothing be ended or read that is not marked as ours', () => {
    for (const action of ['ec2:TerminateInstances', 'ec2:GetConsoleOutput']) {
      expect(granting(action).map(({ Condition }) => Condition)).toEqual([
        { StringEquals: { 'aws:ResourceTag/rungar.sh/managed': 'true' } },
      ]);
    }
  });

  test('holds for a creation as the provider asks for it: what it makes is marked in the same call', async () => {
    const world = await startEc2World({ times: { bootMs: 1 } });
    onTestFinished(() => world.close());
    const provider = await world.open();
    const labels: Labels = labelsOf('linux-00000001');
    const jitConfig = new Secret('a-registration-good-once');
    await provider.create({ name: 'linux-00000001', labels, jitConfig, spec: world.spec }, { signal });
    await provider.close();

    const made = granting('ec2:RunInstances').find(({ Condition }) => Condition !== undefined);
    const [[condition, value] = []] = Object.entries(made?.Condition?.StringEquals ?? {});
    const [instance] = world.emulator.instances();
    expect(instance?.tags[condition?.replace('aws:RequestTag/', '') ?? '']).toBe(value);
    const body = new URLSearchParams(runInstancesBody(world.emulator.requests));
    const tagged = [1, 2].map((at) => ({
      type: body.get(`TagSpecification.${at}.ResourceType`),
      isOurs: [...body].some(
        ([key, text]) => key.startsWith(`TagSpecification.${at}.Tag.`) && text === 'rungar.sh/managed',
      ),
    }));
    expect(tagged).toEqual([
      { type: 'instance', isOurs: true },
      { type: 'volume', isOurs: true },
    ]);
    expect(made?.Resource).toEqual(['arn:aws:ec2:*:*:instance/*', 'arn:aws:ec2:*:*:volume/*']);
  });
});

describe('gcp-role.yaml', () => {
  /** What each method takes, by Google's reference of the API; an insertion by what the provider puts into it. */
  const TAKES: Readonly<Record<string, readonly string[]>> = {
    'Disks.get': ['disks.get'],
    'Disks.setLabels': ['disks.setLabels'],
    'Images.get': ['images.get'],
    'Images.getFromFamily': ['images.getFromFamily'],
    'InstanceTemplates.get': ['instanceTemplates.get'],
    'Instances.aggregatedListAsync': ['instances.list'],
    'Instances.delete': ['instances.delete'],
    'Instances.get': ['instances.get'],
    'Instances.getSerialPortOutput': ['instances.getSerialPortOutput'],
    'Instances.insert': [
      'disks.create',
      'disks.setLabels',
      'images.useReadOnly',
      'instanceTemplates.useReadOnly',
      'instances.create',
      'instances.setLabels',
      'instances.setMetadata',
      'instances.setServiceAccount',
      'instances.setTags',
      'networks.use',
      'networks.useExternalIp',
      'subnetworks.use',
      'subnetworks.useExternalIp',
    ],
    'Instances.list': ['instances.list'],
    'MachineTypes.get': ['machineTypes.get'],
    'Networks.get': ['networks.get'],
    'RegionInstanceTemplates.get': ['instanceTemplates.get'],
    'Subnetworks.get': ['subnetworks.get'],
    'ZoneOperations.get': ['zoneOperations.get'],
    'ZoneOperations.list': ['zoneOperations.list'],
    'Zones.get': ['zones.get'],
  };

  test('grants what the methods take that the provider calls', () => {
    const source = sourceOf('gcp');
    const called = sorted([
      ...[...source.matchAll(/\binstances\('(\w+)'/g)].map(([, method]) => `Instances.${method}`),
      ...[...source.matchAll(/client: '(\w+)Client',\s+method: '(\w+)'/g)].map(([, of, method]) => `${of}.${method}`),
      ...[...source.matchAll(/exists\('(\w+)Client'.*?signal(?:, '(\w+)')?\)/g)].map(
        ([, of, method = 'get']) => `${of}.${method}`,
      ),
    ]);
    expect(called).toEqual(Object.keys(TAKES));
    const { includedPermissions } = parse(read('gcp-role.yaml')) as { includedPermissions: string[] };
    expect(sorted(includedPermissions)).toEqual(
      sorted(called.flatMap((method) => TAKES[method] ?? []).map((permission) => `compute.${permission}`)),
    );
    expect(new Set(includedPermissions).size).toBe(includedPermissions.length);
  });
});

describe('proxmox-role.sh', () => {
  /** Runs the script beside a `pveum` that only writes down what it was told. */
  function commandsOn(version: string, paths: readonly string[]): string[] {
    const folder = mkdtempSync(join(tmpdir(), 'rungar-pveum-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const log = join(folder, 'log');
    writeFileSync(join(folder, 'pveum'), `#!/bin/sh\necho "$*" >>'${log}'\n`);
    writeFileSync(join(folder, 'pveversion'), `#!/bin/sh\necho 'pve-manager/${version}/0123456789abcdef'\n`);
    for (const name of ['pveum', 'pveversion']) chmodSync(join(folder, name), 0o755);
    execFileSync('sh', [join(permissions, 'proxmox-role.sh'), ...paths], {
      env: { PATH: `${folder}:${process.env.PATH}` },
      stdio: 'pipe',
    });
    return readFileSync(log, 'utf8').trimEnd().split('\n');
  }
  const privilegesOn = (version: string): string[] =>
    /^role add Rungar --privs (.+)$/.exec(commandsOn(version, [])[0] ?? '')?.[1]?.split(' ') ?? [];

  test('gives the role where it is told to, or on everything', () => {
    expect(commandsOn('9.0.3', ['/vms/9000', '/pool/ci']).slice(1)).toEqual([
      'user add rungar@pve --comment Runners of GitHub Actions',
      'acl modify /vms/9000 --users rungar@pve --roles Rungar',
      'acl modify /pool/ci --users rungar@pve --roles Rungar',
      'user token add rungar@pve daemon --privsep 0',
    ]);
    expect(commandsOn('9.0.3', [])[2]).toBe('acl modify / --users rungar@pve --roles Rungar');
  });

  test.each(['9.0.3', '8.4.1'])(
    'a token with these privileges alone does all that is needed on %s',
    async (version) => {
      const privileges = { '/': privilegesOn(version) };
      const [token] = defaultCatalogue().tokens;
      const world = await startPveWorld({
        version,
        ...(token && { catalogue: { tokens: [{ ...token, privileges }] } }),
      });
      onTestFinished(() => world.close());
      const runner = { scaleSet: 'linux', spec: someRunner({ pool: 'ci', storage: 'nas', fullClone: true }) };
      expect(await checkProxmoxOnline(connectWithGot, world.settings, [runner], someContext(), signal)).toEqual([]);

      const provider = await world.open();
      const request = someRequest('linux-00000001', { pool: 'ci' });
      const machine = await provider.create(request, { signal });
      const { parts } = await provider.list(request.labels, { signal });
      expect(parts.flatMap(({ machines }) => machines).map(({ name }) => name)).toEqual(['linux-00000001']);
      expect(await provider.delete(machine, request.labels, { signal })).toBe('deleted');
      await provider.close();
    },
  );

  test('has no privilege to spare', async () => {
    const [token] = defaultCatalogue().tokens;
    const all = privilegesOn('9.0.3');
    const world = await startPveWorld({
      ...(token && { catalogue: { tokens: [{ ...token, privileges: { '/': all } }] } }),
    });
    onTestFinished(() => world.close());
    const runner = { scaleSet: 'linux', spec: someRunner({ pool: 'ci', storage: 'nas', fullClone: true }) };
    const spare: string[] = [];
    for (const privilege of all) {
      world.emulator.deny(privilege);
      const findings = await checkProxmoxOnline(connectWithGot, world.settings, [runner], someContext(), signal);
      if (findings.length === 0) spare.push(privilege);
      world.emulator.deny(privilege, false);
    }
    expect(spare).toEqual([]);
  });
});

describe('github-app.json', () => {
  test.each([
    ['organisation', '/acme'],
    ['repository', '/acme/web'],
  ])('is what `rungar github create-app` asks for of an %s', async (kind, path) => {
    const github = await startGitHubEmulator();
    onTestFinished(() => github.close());
    const registrar = createAppRegistrar({
      url: `${github.url}${path}`,
      client: { system: 'rungar', version: '0', commitSha: '', subsystem: 'test' },
    });
    onTestFinished(() => registrar.close());
    const form = await registrar.form('Rungar', 'http://127.0.0.1/', 'state', { signal });
    const { name: _name, url: _url, redirect_url: _redirect, ...asked } = JSON.parse(form.manifest);
    expect(asked).toEqual(JSON.parse(read('github-app.json'))[kind]);
  });
});

/** The body of the one RunInstances that made something. */
function runInstancesBody(requests: readonly { readonly body?: unknown }[]): string {
  return requests.map(({ body }) => String(body)).find((body) => body.includes('Action=RunInstances')) ?? '';
}
