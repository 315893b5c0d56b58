import { describe, expect, test } from 'vitest';
import { createChooseProxy, proxySettingsOf } from './proxies.js';

const PROXY = 'http://proxy.example:3128/';
const wayTo = (url: string, noProxy?: string): string => {
  const choose = createChooseProxy({ httpsProxy: PROXY, ...(noProxy !== undefined && { noProxy }) });
  return choose(new URL(url))?.href ?? 'direct';
};

describe('the environment', () => {
  test('is read in capitals', () => {
    expect(proxySettingsOf({ HTTPS_PROXY: 'a', HTTP_PROXY: 'b', NO_PROXY: 'c' })).toEqual({
      httpsProxy: 'a',
      httpProxy: 'b',
      noProxy: 'c',
    });
  });

  test('is read in small letters, which win', () => {
    expect(proxySettingsOf({ HTTPS_PROXY: 'a', https_proxy: 'b', http_proxy: 'c', no_proxy: 'd' })).toEqual({
      httpsProxy: 'b',
      httpProxy: 'c',
      noProxy: 'd',
    });
  });

  test('says nothing by an empty value', () => {
    expect(proxySettingsOf({ https_proxy: '', HTTP_PROXY: '' })).toEqual({});
  });
});

describe('the way', () => {
  test('is that of the scheme', () => {
    const choose = createChooseProxy({ httpProxy: 'plain:80', httpsProxy: 'https://user:word@sealed' });
    expect(choose(new URL('http://ghes.example/'))?.href).toBe('http://plain/');
    expect(choose(new URL('https://github.com/'))?.href).toBe('https://user:word@sealed/');
  });

  test.each([
    ['http://127.0.0.1:8080/', 'loopback'],
    ['https://127.8.0.1/', 'loopback'],
    ['https://[::1]/', 'loopback'],
    ['https://localhost/', 'loopback'],
    ['https://api.localhost/', 'loopback'],
  ])('to %s is direct: %s', (url) => {
    expect(wayTo(url)).toBe('direct');
  });

  test.each([
    ['github.com', 'https://github.com/', true],
    ['github.com', 'https://api.github.com/', true],
    ['GitHub.com', 'https://api.github.com/', true],
    ['github.com', 'https://notgithub.com/', false],
    ['.github.com', 'https://github.com/', false],
    ['.github.com', 'https://api.github.com/', true],
    ['*.github.com', 'https://api.github.com/', true],
    ['other.example, github.com', 'https://github.com/', true],
    ['other.example github.com', 'https://github.com/', true],
    ['github.com:443', 'https://github.com/', true],
    ['github.com:8443', 'https://github.com/', false],
    ['github.com:8443', 'https://github.com:8443/', true],
    ['10.0.0.0/8', 'https://10.20.30.40/', true],
    ['10.0.0.0/8', 'https://11.20.30.40/', false],
    ['10.0.0.0/8', 'https://github.com/', false],
    ['10.20.30.40', 'https://10.20.30.40/', true],
    ['fd00::/8', 'https://[fd00::1]/', true],
    ['[fd00::1]:443', 'https://[fd00::1]/', true],
    ['nonsense/99', 'https://github.com/', false],
    ['fd00:0:0::0001', 'https://[fd00::1]/', true],
    ['fd00::2', 'https://[fd00::1]/', false],
    ['github.com.', 'https://api.github.com/', true],
    ['github.com.:443', 'https://github.com/', true],
    ['*', 'https://github.com/', true],
    ['', 'https://github.com/', false],
  ])('with NO_PROXY %j to %s is direct: %s', (noProxy, url, direct) => {
    expect(wayTo(url, noProxy)).toBe(direct ? 'direct' : PROXY);
  });

  test('by a user or password that is not percent-encoded is refused', () => {
    const attempt = (): unknown => createChooseProxy({ httpsProxy: 'http://me:100%@proxy:3128' });
    expect(attempt).toThrow(/^the user or password in HTTPS_PROXY is not properly percent-encoded$/);
  });

  test.each(['socks5://proxy:1080', 'http://', 'http://us er:secretword@'])('through %j is refused', (httpsProxy) => {
    const attempt = (): unknown => createChooseProxy({ httpsProxy });
    expect(attempt).toThrow(expect.objectContaining({ code: 'invalid_argument' }));
    expect(attempt).toThrow(/^HTTPS_PROXY is not the address of an HTTP proxy$/);
  });
});
