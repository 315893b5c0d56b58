import { generateKeyPairSync } from 'node:crypto';
import { type Clock, createRedactor, Secret, silentLogger, systemClock } from '@rungar/model';
import { seededRandom } from '@rungar/model/testing';
import {
  type Credentials,
  createScaleSetService,
  type GitHubClient,
  type ScaleSetServiceOptions,
} from '../src/index.js';

const TOKEN: Credentials = { kind: 'token', token: new Secret('ghp_personalaccesstoken') };

const keyPair = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});
export const APP_PUBLIC_KEY = keyPair.publicKey;
export const APP: Credentials & { kind: 'app' } = {
  kind: 'app',
  clientId: 'Iv23liExample',
  installationId: 4711,
  privateKey: new Secret(keyPair.privateKey),
};

export function clientOf(url: string, more: Partial<ScaleSetServiceOptions> = {}): GitHubClient {
  const clock: Clock = more.clock ?? systemClock;
  return createScaleSetService({
    url,
    credentials: TOKEN,
    clock,
    random: seededRandom(7),
    logger: silentLogger,
    redactor: createRedactor(),
    client: { system: 'rungar', version: '1.2.3', commitSha: 'abc1234', subsystem: 'test' },
    ...more,
  });
}

export const call = { signal: new AbortController().signal };
