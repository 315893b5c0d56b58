// Builds rungar_VERSION_all.deb: node deploy/debian/build.mjs [FOLDER]. Needs npm's registry and dpkg-deb.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packCommandLine } from '../pack.mjs';

/** Where each shell looks for the words of a command. */
const COMPLETIONS = [
  { shell: 'bash', at: 'usr/share/bash-completion/completions', name: 'rungar' },
  { shell: 'zsh', at: 'usr/share/zsh/vendor-completions', name: '_rungar' },
  { shell: 'fish', at: 'usr/share/fish/vendor_completions.d', name: 'rungar.fish' },
];

const here = dirname(fileURLToPath(import.meta.url));
const target = resolve(process.argv[2] ?? '.');
const work = mkdtempSync(join(tmpdir(), 'rungar-deb-'));
try {
  const tarballs = folder(work, 'tarballs');
  const tree = folder(work, 'tree');
  const version = packCommandLine(tarballs);
  installPackages(tarballs, folder(tree, 'usr/lib/rungar'));
  symlinkSync('../lib/rungar/node_modules/rungar/bin/rungar.js', join(folder(tree, 'usr/bin'), 'rungar'));
  for (const unit of ['rungar.service', 'rungar@.service'])
    copyFileSync(join(here, '../systemd', unit), join(folder(tree, 'usr/lib/systemd/system'), unit));
  copyFileSync(join(here, '../systemd/rungar.sysusers'), join(folder(tree, 'usr/lib/sysusers.d'), 'rungar.conf'));
  for (const { shell, at, name } of COMPLETIONS)
    writeFileSync(join(folder(tree, at), name), completionOf(tree, shell), { mode: 0o644 });
  writeControl(folder(tree, 'DEBIAN'), version);
  const file = join(target, `rungar_${version}_all.deb`);
  execFileSync('dpkg-deb', ['--root-owner-group', '--build', tree, file], { stdio: 'pipe' });
  process.stdout.write(`${file}\n`);
} catch (error) {
  process.stderr.write(`${error.stderr?.toString() || error.message}\n`);
  process.exitCode = 1;
} finally {
  rmSync(work, { recursive: true, force: true });
}

function folder(at, path) {
  const made = join(at, path);
  mkdirSync(made, { recursive: true, mode: 0o755 });
  return made;
}

/** As the command line that goes into the package prints it. */
function completionOf(tree, shell) {
  const rungar = join(tree, 'usr/lib/rungar/node_modules/rungar/bin/rungar.js');
  return execFileSync(process.execPath, [rungar, 'completion', shell], { stdio: ['ignore', 'pipe', 'pipe'] });
}

function installPackages(tarballs, prefix) {
  const files = readdirSync(tarballs).map((name) => join(tarballs, name));
  const flags = ['--no-audit', '--no-fund', '--omit=dev', '--ignore-scripts', '--prefix', prefix];
  execFileSync('npm', ['install', ...flags, ...files], { cwd: prefix, stdio: 'pipe' });
  // What npm notes for itself names files of this build.
  for (const name of ['package.json', 'package-lock.json', 'node_modules/.package-lock.json'])
    rmSync(join(prefix, name), { force: true });
}

function writeControl(at, version) {
  const control = [
    'Package: rungar',
    `Version: ${version}`,
    'Architecture: all',
    'Section: devel',
    'Priority: optional',
    'Depends: nodejs (>= 20.19), systemd (>= 246), ca-certificates',
    `Maintainer: ${process.env.DEBFULLNAME ?? 'Rungar'} <${process.env.DEBEMAIL ?? 'root@localhost'}>`,
    'Description: runners for GitHub Actions, one fresh machine per job',
    ' Keeps runner scale sets supplied with runners on Dicer hosts, Proxmox VE,',
    ' Google Compute Engine and Amazon EC2.',
  ];
  writeFileSync(join(at, 'control'), `${control.join('\n')}\n`);
  for (const script of ['postinst', 'prerm', 'postrm']) {
    copyFileSync(join(here, script), join(at, script));
    chmodSync(join(at, script), 0o755);
  }
}
