import { createPublicKey, generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { randomHex } from '../random.js';
import type { Scope } from './entities.js';
import { issuerOf, problemWithJwt, unsignedJwt } from './jwt.js';
import type { World } from './world.js';

/** What a credential may do. */
export interface Grants {
  /** Whether it may administer self-hosted runners. Default true. */
  readonly canManageRunners?: boolean;
}

export interface NewApp extends Grants {
  /** The PEM of a public key of yours. By default a pair is made, and its private half handed out. */
  readonly publicKey?: string;
  /** The account in which the list of its installations shows it. Default: that of the first scope. */
  readonly owner?: string;
}

/** A GitHub App and where it is installed, as a configuration names them. */
export interface EmulatedApp {
  readonly appId: number;
  readonly clientId: string;
  readonly installationId: number;
  /** PKCS#8 PEM; empty when the App was made with a public key of the caller's. */
  readonly privateKey: string;
}

/** Somebody who makes REST calls: an App's installation, or the owner of a personal access token. */
export interface Caller {
  readonly kind: 'app' | 'token';
  readonly canManageRunners: boolean;
  used: number;
  windowEndsAt: number;
}

interface App {
  readonly installationId: number;
  readonly key: KeyObject;
  readonly caller: Caller;
  readonly owner: string;
}

interface Expiring<T> {
  readonly value: T;
  readonly expiresAt: number;
}

/** A token and when it ends, in epoch milliseconds. */
export interface MintedToken {
  readonly token: string;
  readonly expiresAt: number;
}

const makeKeys = promisify(generateKeyPair);
const FIRST_APP_ID = 1001;
const FIRST_INSTALLATION_ID = 50_001;

/** Apps, tokens, and who is behind them. */
export class Credentials {
  readonly #world: World;
  readonly #apps = new Map<string, App>();
  readonly #callers = new Map<string, Caller>();
  readonly #installationTokens = new Map<string, Expiring<Caller>>();
  readonly #registrationTokens = new Map<string, Expiring<Scope>>();
  readonly #adminTokens = new Map<string, Expiring<Scope>>();
  #made = 0;

  constructor(world: World) {
    this.#world = world;
  }

  /** Makes an App that is installed everywhere. */
  async createApp({ publicKey, canManageRunners = true, owner }: NewApp = {}): Promise<EmulatedApp> {
    const index = this.#made++;
    const pair = publicKey === undefined ? await makeKeys('rsa', { modulusLength: 2048 }) : undefined;
    const appId = FIRST_APP_ID + index;
    const clientId = `Iv23li${randomHex(this.#world.random, 7)}`;
    const installationId = FIRST_INSTALLATION_ID + index;
    const key = pair ? pair.publicKey : createPublicKey(publicKey ?? '');
    const app: App = {
      installationId,
      key,
      caller: newCaller('app', canManageRunners),
      owner: owner ?? this.#world.scopes[0]?.path.split('/')[0] ?? '',
    };
    this.#apps.set(clientId, app);
    this.#apps.set(String(appId), app);
    const privateKey = pair ? pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() : '';
    return { appId, clientId, installationId, privateKey };
  }

  /** Makes a personal access token, which never expires. */
  createToken({ canManageRunners = true }: Grants = {}): string {
    const token = `ghp_${randomHex(this.#world.random, 18)}`;
    this.#callers.set(token, newCaller('token', canManageRunners));
    return token;
  }

  /** The App that signed a JWT, or what is wrong with it. */
  appOf(jwt: string): App | string {
    const issuer = issuerOf(jwt);
    if (issuer === undefined) return 'A JSON web token could not be decoded';
    const app = this.#apps.get(issuer);
    if (!app) return 'Integration not found';
    return problemWithJwt(jwt, app.key, this.#world.clock.now()) ?? app;
  }

  mintInstallationToken(app: App): MintedToken {
    const token = `ghs_${randomHex(this.#world.random, 18)}`;
    return this.#keep(this.#installationTokens, token, app.caller, this.#world.settings.installationTokenMs);
  }

  /** Whose personal access token or installation token it is; undefined when it is nobody's, or has expired. */
  callerOf(token: string): Caller | undefined {
    return this.#callers.get(token) ?? this.#valid(this.#installationTokens, token);
  }

  mintRegistrationToken(scope: Scope): MintedToken {
    const token = `A${randomHex(this.#world.random, 14).toUpperCase()}`;
    return this.#keep(this.#registrationTokens, token, scope, this.#world.settings.registrationTokenMs);
  }

  /** The scope a registration token is for. */
  scopeOfRegistration(token: string): Scope | undefined {
    return this.#valid(this.#registrationTokens, token);
  }

  mintAdminToken(scope: Scope, lifeMs = this.#world.settings.adminTokenMs): MintedToken {
    const expiresAt = this.#world.clock.now() + lifeMs;
    const token = unsignedJwt({ exp: Math.floor(expiresAt / 1000), jti: randomHex(this.#world.random, 16) });
    return this.#keep(this.#adminTokens, token, scope, lifeMs);
  }

  /** The scope an admin token is for. */
  scopeOfAdmin(token: string): Scope | undefined {
    return this.#valid(this.#adminTokens, token);
  }

  /** Makes every installation or admin token worthless, whatever its own expiry says. */
  revoke(kind: 'installation' | 'admin'): void {
    (kind === 'admin' ? this.#adminTokens : this.#installationTokens).clear();
  }

  #keep<T>(tokens: Map<string, Expiring<T>>, token: string, value: T, lifeMs: number): MintedToken {
    const now = this.#world.clock.now();
    for (const [old, { expiresAt }] of tokens) if (expiresAt <= now) tokens.delete(old);
    tokens.set(token, { value, expiresAt: now + lifeMs });
    return { token, expiresAt: now + lifeMs };
  }

  #valid<T>(tokens: ReadonlyMap<string, Expiring<T>>, token: string): T | undefined {
    const found = tokens.get(token);
    return found && found.expiresAt > this.#world.clock.now() ? found.value : undefined;
  }
}

function newCaller(kind: 'app' | 'token', canManageRunners: boolean): Caller {
  return { kind, canManageRunners, used: 0, windowEndsAt: 0 };
}
