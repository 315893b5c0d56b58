import { chmod, chown, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { atEnd } from './support/cleanup.js';
import { eventually, TEST_LIMIT_MS } from './support/eventually.js';
import { oneLine } from './support/one-line.js';
import { rungar, startServe } from './support/rungar.js';
import { filesIn, startWorld, type World } from './support/world.js';

vi.setConfig({ testTimeout: TEST_LIMIT_MS, maxConcurrency: 4 });

const isRoot = process.getuid?.() === 0;

/** A mistake that a daemon finds before it does anything. */
interface Mistake {
  readonly title: string;
  readonly code: number;
  /** Makes the mistake. @returns the configuration file to start with */
  make(world: World): Promise<string>;
  /** What the line has to say. */
  readonly says: (world: World) => readonly string[];
}

const MISTAKES: readonly Mistake[] = [
  {
    title: 'no configuration file',
    code: 1,
    make: async ({ folder }) => join(folder, 'none.yaml'),
    says: ({ folder }) => [`there is no configuration file at ${folder}/none.yaml`, '--config'],
  },
  {
    title: 'a folder in its place',
    code: 1,
    make: async ({ folder }) => folder,
    says: ({ folder }) => [`the configuration file ${folder} cannot be read`, 'Name the file'],
  },
  {
    title: 'an unknown key',
    code: 2,
    make: (world) => world.writeConfig({ extra: 'log_levle: debug' }),
    says: ({ folder }) => [`${folder}/config.yaml:10:1: log_levle`, 'did you mean log_level?'],
  },
  {
    title: 'a bad URL',
    code: 2,
    make: (world) => world.writeConfig({ url: 'ftp://github.com/acme' }),
    says: ({ folder }) => [`${folder}/config.yaml:3:8: github.url`, 'ftp://github.com/acme', 'https://'],
  },
  {
    title: 'a key that is no PEM',
    code: 2,
    make: async (world) => {
      const key = join(world.folder, 'bad.pem');
      await writeFile(key, '-----BEGIN RSA PRIVATE KEY-----\nc2VjcmV0IQ==\n-----END RSA PRIVATE KEY-----\n');
      return world.writeConfig({ key });
    },
    says: ({ folder }) => ['github.app_private_key_path', `${folder}/bad.pem`],
  },
  {
    title: 'a missing key',
    code: 2,
    make: (world) => world.writeConfig({ key: join(world.folder, 'none.pem') }),
    says: ({ folder }) => ['github.app_private_key_path', `${folder}/none.pem`],
  },
  {
    title: 'a socket with too long a path',
    code: 2,
    make: (world) => world.writeConfig({ socket: `/tmp/${'ü'.repeat(50)}` }),
    says: () => ['config.yaml:', 'socket', '103'],
  },
  {
    title: 'a relative path of a socket',
    code: 2,
    make: (world) => world.writeConfig({ socket: 'rungar.sock' }),
    says: () => ['config.yaml:', 'socket', 'absolute'],
  },
  {
    title: "an ordinary file in the socket's place",
    code: 2,
    make: async (world) => {
      await writeFile(join(world.folder, 'precious'), 'do not delete me');
      return world.writeConfig({ socket: join(world.folder, 'precious') });
    },
    says: ({ folder }) => [`the socket ${folder}/precious cannot be used`, 'stands there'],
  },
  {
    title: 'a file where the folder of the events should be',
    code: 2,
    make: async (world) => {
      await writeFile(join(world.folder, 'file'), '');
      return world.writeConfig({ events: join(world.folder, 'file', 'events.jsonl') });
    },
    says: ({ folder }) => [`events cannot be kept in ${folder}/file/events.jsonl`, 'events.file'],
  },
  {
    title: "a folder in the events' place",
    code: 2,
    make: async (world) => {
      await mkdir(join(world.folder, 'folder'));
      return world.writeConfig({ events: join(world.folder, 'folder') });
    },
    says: ({ folder }) => [`${folder}/folder is not an ordinary file`],
  },
];

test.concurrent.each(MISTAKES)('$title: one line, exit $code, nothing done and nothing left', async (mistake) => {
  const world = await startWorld();
  const config = await mistake.make(world);
  const before = await filesIn(world.folder);
  const ended = await rungar(['serve', '--config', config]);
  const line = oneLine(ended);
  for (const part of mistake.says(world)) expect(line).toContain(part);
  expect(ended.code).toBe(mistake.code);
  expect(await filesIn(world.folder)).toEqual(before);
  expect(world.github.requests).toEqual([]);
  expect(world.ec2.requests).toEqual([]);
});

test.concurrent('an ordinary file in the place of the socket is never deleted', async () => {
  const world = await startWorld();
  const precious = join(world.folder, 'precious');
  await writeFile(precious, 'do not delete me');
  const ended = await rungar(['serve', '--config', await world.writeConfig({ socket: precious })]);
  expect(ended.code).toBe(2);
  expect(await readFile(precious, 'utf8')).toBe('do not delete me');
});

test.concurrent('several mistakes are shown together, each with its place', async () => {
  const world = await startWorld();
  const config = await world.writeConfig({ extra: 'log_levle: debug', socket: 'relative.sock' });
  const { code, stderr } = await rungar(['validate', '--config', config]);
  expect(code).toBe(2);
  const lines = stderr.trimEnd().split('\n');
  expect(lines).toHaveLength(3);
  expect(lines[0]).toMatch(/config\.yaml:\d+:\d+: /);
  expect(lines[1]).toMatch(/config\.yaml:\d+:\d+: /);
  expect(lines[2]).toBe(`Error: ${config} has 2 problems`);
});

test.concurrent('a socket on which a daemon serves is refused before anything is touched', async () => {
  const world = await startWorld();
  const socket = join(world.folder, 's');
  const living = createServer((connection) => connection.destroy());
  await new Promise<void>((resolve) => living.listen(socket, resolve));
  atEnd(() => new Promise((resolve) => living.close(resolve)));
  const config = await world.writeConfig();
  const before = await filesIn(world.folder);
  const ended = await rungar(['serve', '--config', config]);
  expect(oneLine(ended)).toContain(`a daemon already serves at ${socket}. Stop it first`);
  expect(ended.code).toBe(1);
  expect(await filesIn(world.folder)).toEqual(before);
  expect(world.github.requests).toEqual([]);
});

test.concurrent('a socket that a killed daemon left is replaced', async () => {
  const world = await startWorld();
  const config = await world.writeConfig();
  const killed = await startServe(config);
  await killed.end('SIGKILL');
  expect(await filesIn(world.folder)).toContain('s');
  const next = await startServe(config);
  await eventually('it answers', async () => (await world.status()).daemon !== undefined, next.ended);
  expect((await next.end('SIGTERM')).code).toBe(0);
  expect(await filesIn(world.folder)).not.toContain('s');
});

test.concurrent('what the user may not read or use is named', async ({ skip }) => {
  skip(!isRoot, 'only root can play another user');
  const world = await startWorld();
  const nobody = 65_534;
  await chmod(world.folder, 0o755);
  const config = await world.writeConfig();
  const unreadable = await rungar(['validate', '--config', config], { uid: nobody });
  expect(unreadable.code).toBe(1);
  expect(oneLine(unreadable)).toContain(`the configuration file ${config} cannot be read`);

  const daemon = await startServe(config);
  const status = await rungar(['status', '--socket', join(world.folder, 's')], { uid: nobody });
  expect(status.code).toBe(3);
  expect(oneLine(status)).toBe(
    `the socket "${world.folder}/s" cannot be used. Run this as root or as a member of the "rungar" group.`,
  );
  await daemon.end('SIGTERM');

  for (const file of [config, join(world.folder, 'app.pem'), join(world.folder, 'aws')])
    await chown(file, nobody, nobody);
  const events = await rungar(['serve', '--config', config], { uid: nobody });
  expect(events.code).toBe(2);
  expect(oneLine(events)).toContain(`events cannot be kept in ${world.folder}/events.jsonl`);
});
