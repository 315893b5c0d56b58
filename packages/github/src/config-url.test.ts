import { isRungarError } from '@rungar/model';
import { describe, expect, test } from 'vitest';
import { parseConfigUrl } from './config-url.js';

const acme = { kind: 'organisation', organisation: 'acme' };

describe('the address of a scope', () => {
  test.each([
    ['https://github.com/acme', acme, 'https://github.com/acme', 'https://api.github.com', '/orgs/acme'],
    ['https://github.com/acme/', acme, 'https://github.com/acme', 'https://api.github.com', '/orgs/acme'],
    ['https://www.github.com/acme', acme, 'https://www.github.com/acme', 'https://api.github.com', '/orgs/acme'],
    ['https://GitHub.COM/acme', acme, 'https://github.com/acme', 'https://api.github.com', '/orgs/acme'],
    [
      'https://github.com/acme/Web.App',
      { kind: 'repository', owner: 'acme', repository: 'Web.App' },
      'https://github.com/acme/Web.App',
      'https://api.github.com',
      '/repos/acme/Web.App',
    ],
    [
      'https://github.com/Enterprises/acme',
      { kind: 'enterprise', enterprise: 'acme' },
      'https://github.com/Enterprises/acme',
      'https://api.github.com',
      '/enterprises/acme',
    ],
    ['https://Acme.GHE.com/acme', acme, 'https://acme.ghe.com/acme', 'https://api.acme.ghe.com', '/orgs/acme'],
    ['http://github.localhost/acme', acme, 'http://github.localhost/acme', 'http://api.github.localhost', '/orgs/acme'],
    [
      'https://git.example.com:8443/acme//',
      acme,
      'https://git.example.com:8443/acme',
      'https://git.example.com:8443/api/v3',
      '/orgs/acme',
    ],
    ['http://127.0.0.1:8080/acme', acme, 'http://127.0.0.1:8080/acme', 'http://127.0.0.1:8080/api/v3', '/orgs/acme'],
    ['https://notghe.com/acme', acme, 'https://notghe.com/acme', 'https://notghe.com/api/v3', '/orgs/acme'],
    [
      'https://github.com/acme?tab=repositories',
      acme,
      'https://github.com/acme',
      'https://api.github.com',
      '/orgs/acme',
    ],
  ])('%s', (text, scope, href, apiBase, apiPath) => {
    expect(parseConfigUrl(text)).toMatchObject({ scope, href, apiBase, apiPath });
  });

  test.each([
    ['https://github.com', true],
    ['https://acme.ghe.com', true],
    ['https://git.example.com', false],
    ['https://github.com:8443', false],
  ])('%s is hosted by GitHub: %s', (host, hosted) => {
    expect(parseConfigUrl(`${host}/acme`).hosted).toBe(hosted);
  });

  test.each([
    'github.com/acme',
    'ftp://github.com/acme',
    'https://github.com',
    'https://github.com/',
    'https://github.com/a/b/c',
    'https://github.com/a//b',
    'https://github.com/%',
    'https://',
    '',
  ])('refuses "%s", naming the three forms', (text) => {
    const attempt = (): unknown => parseConfigUrl(text);
    expect(attempt).toThrow(expect.objectContaining({ code: 'invalid_argument' }));
    try {
      attempt();
    } catch (error) {
      const hint = isRungarError(error) ? error.hint : '';
      for (const form of ['/ORGANISATION', '/OWNER/REPOSITORY', '/enterprises/ENTERPRISE'])
        expect(hint).toContain(form);
    }
  });

  test('refuses an address with a password, without repeating it', () => {
    expect(() => parseConfigUrl('https://me:hunter22@github.com/acme')).toThrow(/user name or password/);
    expect(() => parseConfigUrl('https://me:hunter22@github.com/acme')).not.toThrow(/hunter22/);
  });

  test.each([
    'me:hunter22@github.com/acme',
    'ftp://hunter22@github.com/acme',
    'https://github.com/a/b/c?token=hunter22',
    'ghp_hunter22',
    'github_pat_11_hunter22',
  ])('refuses %s for another reason, without repeating what may be a secret', (text) => {
    expect(() => parseConfigUrl(text)).toThrow(/is not the address/);
    expect(() => parseConfigUrl(text)).not.toThrow(/hunter22/);
  });
});

test('a dot at the end of the host does not matter', () => {
  expect(parseConfigUrl('https://github.com./acme')).toEqual(parseConfigUrl('https://github.com/acme'));
});

test.each([
  ['https://github.com/orgs/acme', /one of GitHub's own pages: give https:\/\/github.com\/acme$/],
  ['https://github.com/organizations/acme', /give https:\/\/github.com\/acme$/],
  ['https://github.com/users/alice', /a person's page$/],
  ['https://github.com/settings/profile', /one of GitHub's own pages$/],
  ['https://github.com/enterprises', /names no enterprise$/],
  ['/https://github.com/orgs/acme', /give https:\/\/github.com\/acme$/],
  ['https://api.github.com/acme', /its host is that of the API$/],
  ['https://api.acme.ghe.com/acme', /its host is that of the API$/],
  ['https://github.com/acme/web.git', /what git clones: give https:\/\/github.com\/acme\/web$/],
])('%s is a page, and nobody', (url, message) => {
  expect(() => parseConfigUrl(url)).toThrow(message);
});
