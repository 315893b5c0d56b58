import { describe, expect, test } from 'vitest';
import { probablySameRepository, readEndpoint, redactEndpoint } from './endpoint.js';

describe('an endpoint', () => {
  test.each<[string, string]>([
    ['http://h/r', 'has the scheme `http`: only https, ssh and file are allowed'],
    ['git://h/r', 'has the scheme `git`: only https, ssh and file are allowed'],
    ['-oProxy=x', 'begins with a hyphen, which git would read as an option'],
    ['ext::sh', 'contains `::`, which names a remote helper (an IPv6 address cannot be shortened here)'],
    ['h:r?x', 'contains a query (`?`)'],
    ['h:r#f', 'contains a fragment (`#`)'],
    ['rel/path', 'is a relative path, which means another folder in every pod'],
    ['./h:r', 'is a relative path, which means another folder in every pod'],
    ['rel', 'is a relative path, which means another folder in every pod'],
    ['', 'is empty'],
    ['ssh://git@[::1]/r', 'contains `::`, which names a remote helper (an IPv6 address cannot be shortened here)'],
    ['https://user@h/r', 'holds user information: only a bare user, and only over ssh, is allowed'],
    ['https://user:tok@h/r.git', 'holds user information: only a bare user, and only over ssh, is allowed'],
    ['ssh://git:tok@h/r', 'holds user information: only a bare user, and only over ssh, is allowed'],
    ['ssh://@h/r', 'holds user information: only a bare user, and only over ssh, is allowed'],
    ['git:tok@h:r', 'holds a password'],
    ['https:///r', 'has no host'],
    ['ssh://git@/r', 'has no host'],
    [':r', 'has no host'],
    ['git@h:', 'has no path'],
    ['https://h', 'has no path'],
    ['https://h/', 'has no path'],
    ['ssh://-oProxyCommand=x/r', 'has a host that begins with a hyphen, which ssh would read as an option'],
    ['git@-oProxyCommand=x:r', 'has a host that begins with a hyphen, which ssh would read as an option'],
    ['https://h:99999/r', 'has a port that is none'],
  ])('A10: %j is refused: it %s', (text, reason) => {
    expect(readEndpoint(text)).toEqual({ fault: { reason, by: 'dispat' } });
  });

  test.each(['ssh://-oProxyCommand=x@h/r', '-x@h:r', 'git@h:-r'])('%s is one that git itself blocks', (text) => {
    expect(readEndpoint(text).fault?.reason).toMatch(/begins with a hyphen, which git/);
  });

  test.each<[string, ReturnType<typeof readEndpoint>['endpoint']]>([
    ['ssh://git@h/r', { form: 'ssh', host: 'h', port: 22, user: 'git', path: '/r' }],
    ['ssh://h:2222/r', { form: 'ssh', host: 'h', port: 2222, path: '/r' }],
    ['git@h:r', { form: 'scp', host: 'h', port: 22, user: 'git', path: 'r' }],
    ['h:r', { form: 'scp', host: 'h', port: 22, path: 'r' }],
    ['/srv/m.git', { form: 'path', path: '/srv/m.git' }],
    ['file:///srv/m.git', { form: 'file', path: '/srv/m.git' }],
    ['https://h/r.git', { form: 'https', host: 'h', port: 443, path: '/r.git' }],
    ['https://h:8443/r.git', { form: 'https', host: 'h', port: 8443, path: '/r.git' }],
    [
      'ssh://git@[2001:db8:0:0:0:0:0:1]/~me/r',
      { form: 'ssh', host: '[2001:db8:0:0:0:0:0:1]', port: 22, user: 'git', path: '/~me/r' },
    ],
  ])('A10: %s is accepted', (text, endpoint) => expect(readEndpoint(text)).toEqual({ endpoint }));

  test.each<[string, string]>([
    ['git@h:$(id)`x`.git', '`$`'],
    ['git@h:a b', 'a blank'],
    ['git@h:`x', 'a backtick'],
    ['git@h:a\nb', 'the character U+000A'],
    ['git@h:ä', 'the character U+00E4'],
    ['git@h:"x"', '`"`'],
    ["git@h:'x'", "`'`"],
    ['git@h:a\\b', '`\\`'],
    ...[...'<>|;&(){}*!^'].map((character): [string, string] => [`git@h:a${character}`, `\`${character}\``]),
  ])('A11: %j is refused by us, and dispat may accept it: it contains %s', (text, name) => {
    expect(readEndpoint(text)).toEqual({
      fault: { reason: `contains ${name}, which nothing valid needs (dispat itself may accept it)`, by: 'us' },
    });
  });

  test.each(['git@h:~me/[x].git', 'git@h:a,b=c+d%20'])('%s needs no other quoting, and is accepted', (text) => {
    expect(readEndpoint(text).fault).toBeUndefined();
  });
});

test.each([
  ['https://user:tok@h/r.git', 'https://REDACTED@h/r.git'],
  ['git@h:r', 'REDACTED@h:r'],
  ['https://h/r?token=x', 'https://h/r?REDACTED'],
  ['h:r#secret', 'h:r#REDACTED'],
  ['a@b@h:r', 'REDACTED@h:r'],
  ['/srv/m.git', '/srv/m.git'],
  ['us\ner:t@h', 'REDACTED@h'],
])('%j is shown as %s', (text, shown) => expect(redactEndpoint(text)).toBe(shown));

test.each<[string, string, boolean]>([
  ['git@h:acme/p.git', 'ssh://git@h/acme/p.git', true],
  ['git@h:acme/p', 'https://H/acme/p.git', true],
  ['git@h:a.git', 'git@h:b.git', false],
  ['git@h:a.git', 'git@g:a.git', false],
  ['git@h:a.git', 'git@h:a.git', false],
  ['no endpoint', 'git@h:a.git', false],
])('%s and %s are probably one repository: %s', (a, b, same) => expect(probablySameRepository(a, b)).toBe(same));
