import { resolve } from 'node:path';
import { type AppRegistrar, type CreatedApp, createAppRegistrar, failureOf, proxySettingsOf } from '@rungar/github';
import { limitTime, messageOf, quoted, RungarError, systemClock, systemRandom } from '@rungar/model';
import { build } from '../build-info.js';
import type { World } from '../command.js';
import { EXIT, ExitError } from '../exit.js';
import { linesOf } from '../init/lines.js';
import { isThere } from '../replace-file.js';
import { writeNewFile } from '../write-new-file.js';
import { codeIn, openLandingPage } from './landing-page.js';

export interface CreateAppOptions {
  /** The organisation or repository that the App is for. */
  readonly url: string;
  readonly name: string;
  readonly keyFile: string;
}

/** How long somebody has to create the App, and then to install it. */
const PATIENCE_MS = 30 * 60_000;
const ASK_EVERY_MS = 3_000;

const tooLate = (): RungarError =>
  new RungarError('unavailable', 'the App was not created and installed within half an hour', {
    hint: 'run it again, or add the lines by hand from the pages of the App and of its installation',
  });

/**
 * Has somebody create a GitHub App in a browser, and turns what GitHub hands back into a key file and the lines of a
 * configuration.
 * @returns 0
 */
export async function createApp({ url, name, keyFile }: CreateAppOptions, world: World): Promise<number> {
  const path = resolve(keyFile);
  if (await isThere(path)) {
    throw new ExitError(EXIT.failed, `${path} is there already`, 'name another file with --key-file');
  }
  const { version, commit = '' } = build();
  const client = { system: 'rungar', version, commitSha: commit, subsystem: 'create-app' };
  const registrar = createAppRegistrar({ url, client, proxies: proxySettingsOf(world.env) });
  const limit = limitTime(systemClock, PATIENCE_MS, tooLate, world.signal);
  try {
    const code = await codeFor(registrar, name, world, limit.signal);
    const app = await registrar.exchange(code, limit);
    const call = { random: systemRandom, signal: world.signal };
    await writeNewFile(path, app.privateKey.reveal(), { ...call, mode: 0o600 }).catch((cause: unknown) => {
      const hint = `the App is there all the same: generate another key on its settings page, from ${app.page}`;
      throw new RungarError('unavailable', messageOf(cause), { cause, hint });
    });
    world.stderr.write(`created the App ${quoted(app.name)}, client id ${app.clientId}\nwrote ${path}\n`);
    world.stderr.write(`install it, which gives it its permissions: ${app.page}/installations/new\n`);
    const installation = await installationOf(registrar, app, limit.signal);
    world.stdout.write(
      [
        'github:',
        `  url: ${url}`,
        `  app_client_id: ${app.clientId}`,
        `  app_installation_id: ${installation}`,
        `  app_private_key_path: ${JSON.stringify(path)}`,
        '',
      ].join('\n'),
    );
    return EXIT.done;
  } finally {
    limit[Symbol.dispose]();
    registrar.close();
  }
}

/** The code that GitHub hands back, by way of the browser or of somebody who pastes it. */
async function codeFor(registrar: AppRegistrar, name: string, world: World, signal: AbortSignal): Promise<string> {
  const state = Buffer.from(systemRandom.bytes(16)).toString('hex');
  const page = await openLandingPage(state);
  const ended = new AbortController();
  const onAbort = (): void => ended.abort(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    page.show(await registrar.form(name, page.backUrl, state, { signal }));
    world.stderr.write(
      `open ${page.url} in a browser on this host\n` +
        '(from another one, forward the port by ssh -L), and create the App there.\n',
    );
    const ways = [
      page.code,
      new Promise<never>((_, reject) => ended.signal.addEventListener('abort', () => reject(signal.reason))),
    ];
    if (world.stdin.isTTY === true) {
      world.stderr.write('If the browser cannot come back, paste the address it ends at, or the code in it:\n');
      ways.push(pastedCode(world, state, ended.signal));
    }
    return await Promise.race(ways);
  } finally {
    signal.removeEventListener('abort', onAbort);
    ended.abort(new Error('the code is known'));
    await page.close();
  }
}

/** Reads lines until one of them is a code, or an address that holds one. */
async function pastedCode(world: World, state: string, signal: AbortSignal): Promise<string> {
  try {
    for await (const line of linesOf({ stdin: world.stdin, signal })) {
      const text = line.trim();
      const code = URL.canParse(text) ? codeIn(new URL(text).searchParams, state) : /^[\w-]{8,}$/.exec(text)?.[0];
      if (code !== undefined) return code;
      if (text !== '') world.stderr.write('That is neither the code nor the address: paste it again.\n');
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  // The input has ended: the browser may still come back.
  return new Promise<never>(() => {});
}

/** Asks until somebody has installed the App. GitHub's trouble meanwhile ends nothing: the App and its key are there. */
async function installationOf(registrar: AppRegistrar, app: CreatedApp, signal: AbortSignal): Promise<number> {
  for (;;) {
    const id = await registrar.findInstallation(app, { signal }).catch((error: unknown) => {
      if (signal.aborted || failureOf(error)?.transient !== true) throw error;
    });
    if (id !== undefined) return id;
    await systemClock.sleep(ASK_EVERY_MS, signal);
  }
}
