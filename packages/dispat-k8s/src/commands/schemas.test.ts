import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '@rungar/model';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { addSecrets, type ClusterWorld, clusterWorld, passUntilDone, until } from '../../test/cluster-world.js';
import type { Documents } from '../../test/documents.js';
import { branchName, openMailbox } from '../../test/mailbox.js';
import { runProgram } from '../../test/world.js';
import { EXIT } from '../exit.js';
import { commands } from './index.js';

const folder = join(import.meta.dirname, '..', '..', 'schemas');
const POOL = ['--endpoint', 'git@h:acme/m.git', '--image', 'x:1', '--no-network-policy', '--count', '2'];
const PLAN = [
  '{"package":"core","space":"a","version":"1.0.1","message":"● changed"}',
  '{"package":"ui","space":"a","dependsOn":["core"],"version":"1.0.1","message":"● changed"}',
  '{"message":"release plan ready","packages":2,"releasing":2,"held":0}',
].join('\n');

/** What is wrong with a document by the schema of that name. */
function faultsOf(name: keyof Documents | 'options', document: unknown): unknown[] {
  const schema: unknown = JSON.parse(readFileSync(join(folder, `${name}.schema.json`), 'utf8'));
  const validate = new Ajv({ strict: false, allErrors: true }).compile(schema as object);
  return validate(document) ? [] : (validate.errors ?? []);
}

describe('the schemas', () => {
  test('there is one for every command, for options and for what is refused', () => {
    const wanted = commands.map(({ name }) => name.split(' ')[0]).filter((name) => name !== 'init');
    expect(readdirSync(folder).map((file) => file.replace('.schema.json', ''))).toEqual(
      expect.arrayContaining([...wanted, 'options', 'problems']),
    );
  });

  test.each<[keyof Documents, string[], string]>([
    ['generate', ['generate', ...POOL], ''],
    ['orchestrator', ['orchestrator', ...POOL], ''],
    ['orchestrator', ['orchestrator', ...POOL, '--as', 'flags', '--quiet'], ''],
    ['size', ['size', '--plan', '-'], PLAN],
    ['explain', ['explain', 'hpa'], ''],
    ['explain', ['explain'], ''],
  ])('%s prints what its schema says: %j', async (name, args, input) => {
    const { code, stdout } = await runProgram([...args, '--format', 'json'], { input });
    expect(code).toBe(0);
    expect(faultsOf(name, JSON.parse(stdout))).toEqual([]);
  });

  test('check prints what its schema says', async () => {
    const { stdout: input } = await runProgram(['generate', ...POOL, '--quiet']);
    const { stdout } = await runProgram(['check', '-', '--format', 'json'], { input });
    expect(faultsOf('check', JSON.parse(stdout))).toEqual([]);
  });

  test('a refused input prints what its schema says', async () => {
    const { stderr } = await runProgram(['generate', '--format', 'json', '--image', 'X', '--count', '0']);
    expect(faultsOf('problems', JSON.parse(stderr))).toEqual([]);
  });

  test('init writes an options file that its schema accepts, and a misspelt key is refused', async () => {
    const { stdout } = await runProgram(['init', ...POOL, '--output', '-']);
    expect(faultsOf('options', parse(stdout))).toEqual([]);
    expect(faultsOf('options', { ...parse(stdout), cuont: 4 })).not.toEqual([]);
  });
});

/** What a command printed, which has to be as its schema says. */
function valid(name: keyof Documents, text: string): Record<string, unknown> {
  const document: Record<string, unknown> = JSON.parse(text);
  expect(faultsOf(name, document), text).toEqual([]);
  expect(faultsOf(name, { ...document, misspelt: 1 }), 'the schema knows every member').not.toEqual([]);
  return document;
}

describe('what the commands of a cluster print is as their schemas say', () => {
  const OF_ONE = [...POOL.slice(0, -1), '1'];

  /** A cluster with the Secrets in it, and the program that speaks to it. */
  async function inCluster(): Promise<ClusterWorld & { run(...args: string[]): ReturnType<typeof runProgram> }> {
    const world = await clusterWorld();
    addSecrets(world.cluster);
    const env = { KUBECONFIG: world.kubeconfig };
    return Object.assign(world, {
      run: (...args: string[]) => runProgram([...args, '--format', 'json'], { env, clock: world.clock }),
    });
  }

  test('apply, whatever becomes of the objects', async () => {
    await using world = await inCluster();
    const actions = async (...args: string[]): Promise<unknown> => {
      const { stdout, stderr } = await world.run('apply', ...POOL, ...args);
      expect(stdout, stderr).not.toBe('');
      const { objects } = valid('apply', stdout) as unknown as Documents['apply'];
      return objects.at(-1)?.action;
    };
    expect(await actions('--dry-run', 'client')).toBe('configured');
    expect(await actions('--dry-run', 'server')).toBe('created');
    expect(await actions()).toBe('created');
    expect(await actions()).toBe('unchanged');
    const refused = await world.run('apply', ...POOL, '--cpu', '5');
    expect(refused.code).toBe(EXIT.inUse);
    valid('problems', refused.stderr);
    const checked = await world.run('apply', ...POOL, '--name', 'documented', '--pod-security', 'documented');
    expect(checked).toMatchObject({ code: EXIT.found, stdout: '' });
    valid('check', checked.stderr);
    world.cluster.finish('dispat-workers', 'Complete');
    const replacing = actions('--replace');
    await until('the deletion', () => world.cluster.callsOf('DELETE', /jobs/).length === 1);
    world.cluster.collectGarbage();
    await passUntilDone(world, replacing);
    expect(await replacing).toBe('replaced');
    const set = ['--name', 'set', '--variation', 'statefulset'];
    expect(await actions(...set, '--replicas', '0')).toBe('created');
    expect(await actions(...set)).toBe('scaled');
  }, 60_000);

  test('wait, and apply --wait, however they end', async () => {
    await using world = await inCluster();
    const args = ['--until', 'running'];
    const ready = world.run('apply', ...OF_ONE, '--wait', ...args);
    await until('the watches', () => world.cluster.openStreams.watches === 2);
    world.cluster.run('dispat-workers', 0);
    expect(valid('apply', (await ready).stdout)).toMatchObject({ wait: { outcome: 'ready' } });

    await world.run('apply', ...OF_ONE, '--name', 'late');
    world.cluster.warn('Job', 'late', 'FailedCreate', 'exceeded quota: builds');
    const late = world.run('wait', '--name', 'late', ...args, '--timeout', '30');
    await until('the watches', () => world.cluster.openStreams.watches === 2);
    await passUntilDone(world, late);
    expect((await late).code).toBe(EXIT.timedOut);
    expect(valid('wait', (await late).stdout)).toMatchObject({ outcome: 'timed out' });

    await world.run('apply', ...OF_ONE, '--name', 'lost');
    world.cluster.run('lost', 0);
    world.cluster.log('lost', 0, 'it broke');
    world.cluster.end('lost', 0, 1);
    const lost = world.run('wait', '--name', 'lost', ...args);
    await passUntilDone(world, lost);
    expect((await lost).code).toBe(EXIT.found);
    expect(valid('wait', (await lost).stdout)).toMatchObject({ outcome: 'failed', failure: { node: 'w-0' } });
  });

  test('follow, line by line, and delete', async () => {
    await using world = await inCluster();
    await world.run('apply', ...OF_ONE);
    world.cluster.run('dispat-workers', 0);
    world.cluster.log('dispat-workers', 0, { message: 'worker started', node: 'w-0' });
    const following = world.run('follow');
    await until('the log', () => world.cluster.openStreams.watches === 2);
    world.cluster.end('dispat-workers', 0, 0);
    world.cluster.finish('dispat-workers', 'Complete');
    await passUntilDone(world, following);
    const lines = (await following).stdout.trimEnd().split('\n');
    const kinds = lines.map((line) => valid('follow', line).kind);
    expect(new Set(kinds)).toEqual(new Set(['state', 'log', 'end']));

    valid('delete', (await world.run('delete', '--dry-run')).stdout);
    expect(valid('delete', (await world.run('delete')).stdout)).toMatchObject({ dryRun: false });
    expect(valid('delete', (await world.run('delete')).stdout)).toMatchObject({ removed: [] });
  });

  test('check of a live namespace', async () => {
    await using world = await inCluster();
    await world.run('apply', ...OF_ONE);
    const { code, stdout } = await world.run('check', '--live');
    expect(code).not.toBe(EXIT.noAccess);
    expect(valid('check', stdout)).toMatchObject({ pools: [{ name: 'dispat-workers' }] });
  });
});

test('demand prints what its schema says, with and without looking at the tips', async () => {
  await using mailbox = await openMailbox();
  await mailbox.push(branchName('w-0', 'probe', 1), ['dispat/assignment.json']);
  await mailbox.push(branchName('w-7', 'build', 2), ['dispat/claim.json']);
  await mailbox.push(branchName('w-0', 'publish', 3), ['dispat/go.json'], Date.UTC(2026, 7, 20, 1));
  await mailbox.push(branchName('w-0', 'snapshot', 4), ['file']);
  const world = {
    env: { PATH: process.env.PATH, HOME: '/nonexistent' },
    clock: { ...systemClock, wallNow: () => Date.UTC(2026, 7, 20, 12) },
  };
  const args = ['demand', '--endpoint', mailbox.endpoint, '--prefix', 'w-=4', '--format', 'json'];
  expect(valid('demand', (await runProgram(args, world)).stdout)).toMatchObject({ upperBound: true });
  expect(valid('demand', (await runProgram([...args, '--inspect'], world)).stdout)).toMatchObject({
    retained: 1,
    running: 1,
    messages: [expect.stringContaining('E228')],
  });
});
