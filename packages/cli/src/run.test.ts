import { RungarError } from '@rungar/model';
import { describe, expect, test } from 'vitest';
import { fakeDaemon, framed, json, streamed } from '../test/fake-daemon.js';
import { runCli } from '../test/world.js';
import { ExitError, exitCodeFor, StopRequest } from './exit.js';

const silent = { stdout: '', stderr: '' };

describe('wrong usage is one line, names the word and the nearest known one, and exits 64', () => {
  test.each([
    [['stauts'], 'unknown command "stauts" (did you mean status?). See `rungar --help`.'],
    [['frobnicate'], 'unknown command "frobnicate". See `rungar --help`.'],
    [['status', '--jsn'], 'unknown flag --jsn (did you mean --json?). See `rungar status --help`.'],
    [['status', 'extra'], 'unexpected argument "extra". See `rungar status --help`.'],
    [['--nope'], 'unknown flag --nope. See `rungar --help`.'],
    [['-x'], 'unknown flag -x. See `rungar --help`.'],
    [['events', '--scale-se', 'a'], 'unknown flag --scale-se (did you mean --scale-set?). See `rungar events --help`.'],
    [['events', '--tail', '-1'], '--tail takes a whole number from 0 to 2147483647. See `rungar events --help`.'],
    [['events', '--tail', '1.5'], '--tail takes a whole number from 0 to 2147483647. See `rungar events --help`.'],
    [['events', '--tail', 'all'], '--tail takes a whole number from 0 to 2147483647. See `rungar events --help`.'],
    [
      ['events', '--tail', '3000000000'],
      '--tail takes a whole number from 0 to 2147483647. See `rungar events --help`.',
    ],
    [['scale-sets', 'inspect', ''], 'a name is empty. See `rungar scale-sets inspect --help`.'],
    [['providers', 'drain', ''], 'a name is empty. See `rungar providers drain --help`.'],
    [['runners', 'rm', 'a', ''], 'a name is empty. See `rungar runners rm --help`.'],
    [['reconcile', ''], 'a name is empty. See `rungar reconcile --help`.'],
    [['explain', 'runner', ''], 'a name is empty. See `rungar explain --help`.'],
    [['events', '--runner', 'a', '--runner', 'b'], '--runner is given more than once. See `rungar events --help`.'],
    [['serve', '--config'], '--config needs a value. See `rungar serve --help`.'],
    [['serve', '-f', 'a', '--config', 'b'], '--config is given more than once. See `rungar serve --help`.'],
    ...[
      ['serve', '--socket', '/tmp/a.sock'],
      ['--socket', '/tmp/a.sock', 'serve'],
      ['serve', '--socket=', '-f', 'a'],
    ].map((args): [string[], string] => [
      args,
      "serve takes no --socket: the configuration's `socket` says where it listens. See `rungar serve --help`.",
    ]),
    [['status', '--socket'], '--socket needs a value. See `rungar status --help`.'],
    [['validate', '-f', ''], '--config names no file. See `rungar validate --help`.'],
    [['serve', '--config='], '--config names no file. See `rungar serve --help`.'],
    [
      ['scale-sets', 'pase', 'birch-s'],
      'unknown command "pase" of scale-sets (did you mean pause?). See `rungar scale-sets --help`.',
    ],
    [
      ['explain', 'runer', 'status'],
      '<kind> must be one of runner, scale-set, job, provider, not "runer" (did you mean runner?). See `rungar explain --help`.',
    ],
    [['dev', 'quue'], '<action> must be queue, not "quue" (did you mean queue?). See `rungar dev --help`.'],
    [['dev', '--count', '3'], '--count belongs to `rungar dev queue`. See `rungar dev --help`.'],
    [['dev', 'queue', '--demo'], 'dev queue takes no --demo. See `rungar dev --help`.'],
    [['dev', 'queue', '--count', '0'], '--count takes a whole number from 1 to 1000. See `rungar dev --help`.'],
    [['dev', 'queue', '--count', '1001'], '--count takes a whole number from 1 to 1000. See `rungar dev --help`.'],
    [['dev', 'queue', '--seconds', '0'], '--seconds takes a number above 0, at most 86400. See `rungar dev --help`.'],
    [
      ['dev', 'queue', '--labels', ' , '],
      '--labels names no label; give at least one, as in --labels linux-small. See `rungar dev --help`.',
    ],
  ])('rungar %j', async (args, line) => {
    expect(await runCli(args)).toEqual({ code: 64, stdout: '', stderr: `Error: ${line}\n` });
  });
});

describe('help and version', () => {
  test.each([[['--help']], [['-h']], [['help']], [[]]])('%j shows the commands and exits 0', async (args) => {
    const { code, stdout, stderr } = await runCli(args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const command of ['serve', 'status', 'events', 'scale-sets', 'validate', 'labels', 'dev']) {
      expect(stdout).toContain(`rungar ${command}`);
    }
  });

  test.each([[['events', '--help']], [['help', 'events']]])('%j shows the flags of events', async (args) => {
    const { code, stdout } = await runCli(args);
    expect(code).toBe(0);
    expect(stdout).toContain('--follow');
    expect(stdout).not.toContain('validate');
  });

  test.each([[['scale-sets']], [['scale-sets', '-h']], [['help', 'scale-sets']]])(
    '%j shows what stands behind it',
    async (args) => {
      const { code, stdout, stderr } = await runCli(args);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      for (const command of ['ls', 'inspect <name>', 'pause [name]', 'resume [name]', 'rm <name>']) {
        expect(stdout).toContain(`rungar scale-sets ${command}`);
      }
      expect(stdout).not.toContain('validate');
    },
  );

  test.each([[['--version']], [['-v']], [['status', '--version']]])('%j gives one line', async (args) => {
    expect(await runCli(args)).toEqual({ ...silent, code: 0, stdout: '0.0.0-source\n' });
  });

  test.each([
    [['labels', 'installation', 'https://github.com/my-org']],
    [['validate', '-f', '/nonexistent/config.yaml']],
    [['events', '--socket', '/nonexistent/s']],
  ])('%j takes -o json for --json, and no other form', async (args) => {
    const asked = await runCli([...args, '--json']);
    expect(await runCli([...args, '-o', 'json'])).toEqual(asked);
    expect(await runCli([...args, '--output=json'])).toEqual(asked);
    expect(await runCli([...args, '-o', 'wide'])).toMatchObject({ code: 64 });
  });

  test('help is as wide as the terminal, and at most 100 columns', async () => {
    const { stdout } = await runCli(['dev', '--help']);
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  test("the user's language changes no message", async () => {
    expect((await runCli(['stauts'], { env: { LANG: 'de_DE.UTF-8', LC_ALL: 'de_DE.UTF-8' } })).stderr).toContain(
      'unknown command',
    );
  });
});

describe('the exit code of an error', () => {
  test.each([
    [new RungarError('not_found', 'x'), 4],
    [new RungarError('busy', 'x'), 5],
    [new RungarError('unavailable', 'x'), 5],
    [new RungarError('no_capacity', 'x'), 5],
    [new RungarError('invalid_argument', 'x'), 1],
    [new RungarError('internal', 'x'), 1],
    [new RungarError('internal', 'x', { cause: new RungarError('not_found', 'y') }), 4],
    [new TypeError('x'), 1],
    ['not even an error', 1],
    [new ExitError(2, 'x'), 2],
    [new StopRequest('SIGINT'), 130],
    [new StopRequest('SIGTERM'), 143],
    [new StopRequest('reader'), 0],
  ])('%o is %i', (error, code) => {
    expect(exitCodeFor(error)).toBe(code);
  });

  test.each([
    ['not_found', 4],
    ['failed_precondition', 5],
    ['resource_exhausted', 5],
    ['unavailable', 5],
    ['invalid_argument', 1],
    ['internal', 1],
  ])('a daemon that answers %s makes it %i, with its message alone', async (code, exitCode) => {
    const { socket } = await fakeDaemon(json({ code, message: 'no scale set "x";\n  there are: birch-s' }, 400));
    expect(await runCli(['scale-sets', 'pause', 'x', '--socket', socket])).toEqual({
      code: exitCode,
      stdout: '',
      stderr: 'Error: no scale set "x"; there are: birch-s\n',
    });
  });

  test('without a daemon it is 3, and the cure is named', async () => {
    const { code, stdout, stderr } = await runCli(['status', '--socket', '/nonexistent/rungar.sock']);
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toBe(
      'Error: there is no socket at "/nonexistent/rungar.sock". Start the daemon with `rungar serve`, or name its ' +
        'socket with --socket or RUNGAR_SOCKET.\n',
    );
  });

  test('a missing configuration file is 1', async () => {
    const { code, stderr } = await runCli(['validate', '-f', '/nonexistent/config.yaml']);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^Error: there is no configuration file at \/nonexistent\/config\.yaml\. [^\n]+\n$/);
  });
});

describe('finding the daemon', () => {
  test('the flag wins over the variable, and the variable over the default', async () => {
    const one = await fakeDaemon(json({ daemon: { version: 'by-flag' } }));
    const other = await fakeDaemon(json({ daemon: { version: 'by-variable' } }));
    const env = { RUNGAR_SOCKET: other.socket };
    expect((await runCli(['status', '--socket', one.socket], { env })).stdout).toContain('Rungar by-flag');
    expect((await runCli(['status'], { env })).stdout).toContain('Rungar by-variable');
    expect((await runCli(['status', '--socket='], { env })).stdout).toContain('Rungar by-variable');
    expect((await runCli(['status'], { env: { RUNGAR_SOCKET: '' } })).stderr).toContain('/run/rungar/rungar.sock');
  });
});

describe('ended by a signal', () => {
  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('%s while waiting for an answer exits %i and says nothing', async (name, code) => {
    const stop = new AbortController();
    const { socket } = await fakeDaemon(() => stop.abort(new StopRequest(name)));
    expect(await runCli(['status', '--socket', socket], { signal: stop.signal })).toEqual({ ...silent, code });
  });

  test('following events ends well', async () => {
    const stop = new AbortController();
    const events = [{ time: '2027-02-03T11:04:09Z', kind: 'EVENT_KIND_RUNNER', name: 'birch-s-0a1b2c3d' }];
    const { socket } = await fakeDaemon(streamed([framed({ events })], { end: 'never' }));
    const lines: string[] = [];
    const stdout = {
      write: (text: string) => {
        lines.push(text);
        stop.abort(new StopRequest('SIGINT'));
      },
    };
    const { code, stderr } = await runCli(['events', '--follow', '--json', '--socket', socket], {
      stdout,
      signal: stop.signal,
    });
    expect({ code, stderr, lines }).toEqual({ code: 0, stderr: '', lines: [`${JSON.stringify(events[0])}\n`] });
  });

  test('reading the kept events without following does not', async () => {
    const stop = new AbortController();
    const { socket } = await fakeDaemon(() => stop.abort(new StopRequest('SIGINT')));
    expect((await runCli(['events', '--socket', socket], { signal: stop.signal })).code).toBe(130);
  });
});

describe('what is asked of the daemon', () => {
  test('events hands on its filters', async () => {
    const { socket, asked } = await fakeDaemon(streamed([framed({}, 2)]));
    const filters = ['--tail', '5', '--scale-set', 'birch-s', '--provider', 'rack-a', '--runner', 'birch-s-1'];
    expect(await runCli(['events', ...filters, '--socket', socket])).toEqual({ ...silent, code: 0 });
    expect(JSON.parse(asked[0]?.body.subarray(5).toString() ?? '')).toEqual({
      limit: 5,
      follow: false,
      scale_set: 'birch-s',
      provider: 'rack-a',
      runner: 'birch-s-1',
    });
  });

  test('status --json prints the document as it came, indented', async () => {
    const document = {
      daemon: { version: '1.4.0' },
      runners: [{ name: 'birch-s-1', job: { workflow_run_id: '9001' } }],
    };
    const { socket, asked } = await fakeDaemon(json(document));
    const { stdout } = await runCli(['status', '--json', '--socket', socket]);
    expect(stdout).toBe(`${JSON.stringify(document, null, 2)}\n`);
    expect(asked.map(({ method }) => method)).toEqual(['GetStatus']);
  });
});
