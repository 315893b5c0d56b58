import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { startGitHubEmulator } from '@rungar/emulators/github';
import { createScaleSetService } from '@rungar/github';
import { Secret } from '@rungar/model';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEFAULT_USER_DATA } from '../../packages/providers/src/aws/default-user-data.js';
import { userDataScript } from '../../packages/providers/src/aws/user-data.js';
import { DEFAULT_STARTUP_SCRIPT } from '../../packages/providers/src/gcp/default-startup-script.js';

// The images under deploy/images/: what installs the runner program is run for real, in a root of its own, and what
// boots a machine of each provider then takes a job there.

const root = resolve(import.meta.dirname, '../..');
const images = join(root, 'deploy/images');
const run = promisify(execFile);
const VERSION = '2.999.0';
const IMAGE = 'noble-server-cloudimg-amd64.img';
const CLOUD_IMAGE = Buffer.from('a disk with Ubuntu on it');

function has(program: string): boolean {
  return (process.env.PATH ?? '').split(':').some((folder) => existsSync(join(folder, program)));
}

/** Whether this host lets the test make a root of its own. */
function canIsolate(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  try {
    execFileSync('unshare', ['--mount', '--propagation', 'private', 'mount', '--bind', '/tmp', '/mnt'], {
      stdio: 'ignore',
    });
    return ['chroot', 'curl', 'runuser', 'useradd'].every(has);
  } catch {
    return false;
  }
}

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

function executable(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  chmodSync(file, 0o755);
}

/** Answers from `files`, by path; metadata only to whom Google's server would answer. */
async function serve(files: ReadonlyMap<string, Buffer>) {
  const server = createServer((request, response) => {
    const body = files.get(request.url ?? '');
    const isRefused = request.url?.startsWith('/computeMetadata/') && request.headers['metadata-flavor'] !== 'Google';
    response.writeHead(body && !isRefused ? 200 : 404).end(body);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, port, close: () => server.close() };
}

describe.skipIf(!canIsolate())('an image (skipped where no root of its own can be made: Linux, as root)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rungar-image-'));
  const machine = join(folder, 'machine');
  const files = new Map<string, Buffer>();
  let archive: Buffer;
  let server: Awaited<ReturnType<typeof serve>>;

  /** Runs a command on the machine of the image. */
  const onMachine = (command: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    run(
      'unshare',
      ['--mount', '--propagation', 'private', 'sh', join(import.meta.dirname, 'sandbox.sh'), machine, ...command],
      {
        env: {
          PATH: '/opt/stubs:/usr/sbin:/usr/bin:/sbin:/bin:/opt/node',
          NODE_FOLDER: dirname(process.execPath),
          ...env,
        },
      },
    );
  const install = (env: Readonly<Record<string, string>> = {}) =>
    onMachine(['bash', '/root/install-runner.sh'], {
      RUNNER_VERSION: VERSION,
      RUNNER_SHA256: sha256(archive),
      RUNNER_ARCH: 'x64',
      RUNNER_BASE_URL: server.url,
      PACKAGES: '',
      ...env,
    });

  beforeAll(async () => {
    const runner = join(root, 'examples/process-provider/fake-runner');
    archive = execFileSync('tar', ['--create', '--gzip', '--directory', runner, '--owner', '1001', '.']);
    files.set(`/v${VERSION}/actions-runner-linux-x64-${VERSION}.tar.gz`, archive);
    server = await serve(files);
    mkdirSync(join(machine, 'root'), { recursive: true });
    cpSync(join(images, 'install-runner.sh'), join(machine, 'root/install-runner.sh'));
    executable(join(machine, 'opt/stubs/poweroff'), '#!/bin/sh\ntouch /run/powered-off\n');
    executable(join(machine, 'opt/stubs/systemctl'), '#!/bin/sh\necho "$*" >>/run/systemctl\n');
  });
  afterAll(() => {
    server.close();
    rmSync(folder, { recursive: true });
  });

  test('is not made of an archive with another checksum, nor without a version', async () => {
    await expect(install({ RUNNER_SHA256: '0'.repeat(64) })).rejects.toThrow(/checksum did NOT match/);
    await expect(install({ RUNNER_VERSION: '' })).rejects.toThrow(/RUNNER_VERSION: is not set/);
    await expect(install({ RUNNER_ARCH: 'riscv64' })).rejects.toThrow(/no runner program for riscv64/);
    expect(existsSync(join(machine, 'home/runner/run.sh'))).toBe(false);
  });

  test('has the runner program in the home of a user of its own, however often it is made', async () => {
    await install();
    const { stdout } = await install();
    expect(stdout).toContain(`the runner program ${VERSION} (x64) is in /home/runner`);
    const owners = await onMachine(['stat', '--format', '%U', '/home/runner', '/home/runner/run.sh']);
    expect(owners.stdout).toBe('runner\nrunner\n');
    expect(readFileSync(join(machine, 'etc/machine-id'), 'utf8')).toBe('');
    expect(existsSync(join(machine, 'etc/sudoers.d/runner'))).toBe(false);
  });

  describe('boots, takes one job and ends', () => {
    let github: Awaited<ReturnType<typeof startGitHubEmulator>>;
    beforeAll(async () => {
      github = await startGitHubEmulator({ pollHoldMs: 1_000 });
    });
    afterAll(() => github.close());

    /** Lets a machine of a scale set of its own boot with the registration, and tells what became of its job. */
    async function oneJob(
      scaleSet: string,
      boot: (jitConfig: string) => Promise<unknown>,
    ): Promise<string | undefined> {
      const call = { signal: AbortSignal.timeout(15_000) };
      const service = createScaleSetService({
        url: github.configUrl,
        credentials: { kind: 'token', token: new Secret(github.createToken()) },
      });
      const record = await service.createScaleSet(scaleSet, 'Default', [scaleSet], call);
      const session = await service.openSession(record, 'test', call);
      const { jitConfig } = await service.createJitConfig(record, `${scaleSet}-1`, call);
      const job = github.queueJob({ labels: [scaleSet], seconds: 0.01 });
      const stop = new AbortController();
      const listening = session
        .listen(
          { onStatistics: () => {}, onJobStarted: () => {}, onJobCompleted: () => {} },
          { signal: AbortSignal.any([stop.signal, call.signal]), capacity: () => 1 },
        )
        .catch(() => {});
      await boot(jitConfig.reveal());
      stop.abort();
      await listening;
      await session.close();
      await service.close();
      return github.jobs().find(({ id }) => id === job.id)?.result;
    }

    function script(text: string): string {
      executable(join(machine, 'run/boot'), text);
      rmSync(join(machine, 'run/powered-off'), { force: true });
      return '/run/boot';
    }

    test('on EC2, by the user data of the provider', async () => {
      const boot = (jitConfig: string) => onMachine([script(userDataScript(DEFAULT_USER_DATA, jitConfig))]);
      expect(await oneJob('ec2', boot)).toBe('succeeded');
      expect(existsSync(join(machine, 'run/powered-off'))).toBe(true);
    });

    test('on Compute Engine, by the startup script of the provider', async () => {
      writeFileSync(
        join(machine, 'root/.curlrc'),
        `connect-to = "metadata.google.internal:80:127.0.0.1:${server.port}"\n`,
      );
      const boot = (jitConfig: string) => {
        files.set('/computeMetadata/v1/instance/attributes/rungar-jitconfig', Buffer.from(jitConfig));
        return onMachine([script(DEFAULT_STARTUP_SCRIPT)], { HOME: '/root' });
      };
      expect(await oneJob('gce', boot)).toBe('succeeded');
      expect(existsSync(join(machine, 'run/powered-off'))).toBe(true);
    });

    test('on Proxmox VE, by the unit of the template, which leaves no registration behind', async () => {
      const boot = (jitConfig: string) => {
        mkdirSync(join(machine, 'run/rungar'), { recursive: true, mode: 0o700 });
        writeFileSync(join(machine, 'run/rungar/jitconfig'), jitConfig, { mode: 0o600 });
        return onMachine([script(readFileSync(join(images, 'proxmox/rungar-runner'), 'utf8'))]);
      };
      expect(await oneJob('pve', boot)).toBe('succeeded');
      expect(readdirSync(join(machine, 'run/rungar'))).toEqual([]);
    });
  });
});

describe('make-template.sh', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rungar-template-'));
  const log = join(folder, 'log');
  const files = new Map([[`/${IMAGE}`, CLOUD_IMAGE]]);
  let server: Awaited<ReturnType<typeof serve>>;
  beforeAll(async () => {
    server = await serve(files);
    executable(
      join(folder, 'virt-customize'),
      `#!/bin/sh\necho "virt-customize $*" >>'${log}'\ncat environment >>'${log}'\n`,
    );
    executable(
      join(folder, 'qm'),
      `#!/bin/sh\n[ "$1" = status ] && { [ "$2" = 100 ]; exit $?; }\necho "qm $*" >>'${log}'\n`,
    );
  });
  afterAll(() => {
    server.close();
    rmSync(folder, { recursive: true });
  });
  const make = (...args: string[]) =>
    run('bash', [join(images, 'proxmox/make-template.sh'), ...args], {
      env: {
        PATH: `${folder}:${process.env.PATH}`,
        RUNNER_VERSION: VERSION,
        RUNNER_SHA256: '0'.repeat(64),
        IMAGE_URL: server.url,
        PACKAGES: "git it's",
      },
    });

  test.skipIf(!has('curl'))(
    'touches no VM that is there, and takes no image but the one that was published (skipped without curl)',
    async () => {
      files.set('/SHA256SUMS', Buffer.from(`${'0'.repeat(64)} *${IMAGE}\n`));
      await expect(make('100', 'ceph')).rejects.toThrow(/there is a VM 100 already/);
      await expect(make('9000', 'ceph')).rejects.toThrow(/checksum did NOT match/);
      await expect(make()).rejects.toMatchObject({ code: 2 });
      expect(existsSync(log)).toBe(false);
    },
  );

  test.skipIf(!has('curl'))(
    'puts the files of this folder into the image and makes a template of it (skipped without curl)',
    async () => {
      files.set('/SHA256SUMS', Buffer.from(`${sha256(CLOUD_IMAGE)} *${IMAGE}\n`));
      const { stdout } = await make('9000', 'ceph', 'vmbr1');
      expect(stdout).toContain('template: 9000');
      const lines = readFileSync(log, 'utf8').trimEnd().split('\n');
      const uploads = [...(lines[0] ?? '').matchAll(/--upload (\S+):(\S+)/g)].map(([, from = '', to]) => {
        if (from.startsWith('/')) expect(existsSync(from)).toBe(true);
        return to;
      });
      expect(uploads).toEqual([
        '/root/environment',
        '/root/install-runner.sh',
        '/etc/tmpfiles.d/rungar.conf',
        '/etc/systemd/system/rungar-runner.service',
        '/usr/local/sbin/rungar-runner',
      ]);
      const exported = lines.filter((line) => line.startsWith('export ')).join('\n');
      const shown = execFileSync('bash', ['-c', `${exported}\necho "$RUNNER_VERSION $PACKAGES"`], { encoding: 'utf8' });
      expect(shown).toBe(`${VERSION} git it's\n`);
      expect(
        lines.filter((line) => line.startsWith('qm ')).map((line) => line.split(' ').slice(0, 3).join(' ')),
      ).toEqual(['qm create 9000', 'qm disk resize', 'qm template 9000']);
      expect(lines.find((line) => line.startsWith('qm create'))).toMatch(
        /--agent enabled=1 .*--net0 virtio,bridge=vmbr1/,
      );
    },
  );
});

describe.each(['aws', 'gcp'])('%s/runner.pkr.hcl', (provider) => {
  const file = join(images, provider, 'runner.pkr.hcl');
  const text = readFileSync(file, 'utf8');

  test('uses variables that it declares, each of them, and files that are there', () => {
    const declared = [...text.matchAll(/^variable "(\w+)"/gm)].map(([, name]) => name);
    const used = [...text.matchAll(/\bvar\.(\w+)/g)].map(([, name]) => name);
    expect(new Set(used)).toEqual(new Set(declared));
    for (const [, path = ''] of text.matchAll(/\$\{path\.root\}\/([^"]+)/g)) {
      expect(existsSync(join(dirname(file), path))).toBe(true);
    }
  });

  test('gives the installation what it reads from its environment', () => {
    const installation = readFileSync(join(images, 'install-runner.sh'), 'utf8');
    const given = [...text.matchAll(/"([A-Z][A-Z0-9_]+)=/g)].map(([, name = '']) => name);
    expect(given.length).toBeGreaterThan(3);
    expect(given.filter((name) => !new RegExp(`\\$\\{?${name}\\b|: "\\$\\{${name}:`).test(installation))).toEqual([]);
  });

  test.skipIf(!has('terraform'))('is HCL as its own formatter writes it (skipped without terraform)', () => {
    expect(execFileSync('terraform', ['fmt', '-'], { input: text, encoding: 'utf8', stdio: 'pipe' })).toBe(text);
  });
});

test.skipIf(!has('shellcheck'))(
  'the scripts have nothing that shellcheck warns of (skipped where it is not installed)',
  () => {
    const scripts = ['install-runner.sh', 'proxmox/make-template.sh', 'proxmox/rungar-runner'].map((name) =>
      join(images, name),
    );
    const others = [join(root, 'deploy/permissions/proxmox-role.sh'), join(import.meta.dirname, 'sandbox.sh')];
    execFileSync('shellcheck', [...scripts, ...others], { stdio: 'pipe' });
  },
);
