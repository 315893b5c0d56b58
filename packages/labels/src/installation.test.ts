import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { expectInvalid, NOT_TEXT } from '../test/expect-error.js';
import { anyUnits } from '../test/hostile.js';
import { installationOf, isInstallation } from './installation.js';

describe('installationOf', () => {
  test.each([
    ['https://github.com/my-org', 'gh-4e3651f01be5'],
    ['https://GitHub.com/my-org/', 'gh-4e3651f01be5'],
    ['https://GitHub.com/My-Org///', 'gh-4e3651f01be5'],
    ['https://github.com/my-org/my-repo', 'gh-8a5e321335aa'],
    ['https://github.com/acme', 'gh-47a00949ae7d'],
    ['https://github.com/acme/widgets', 'gh-6e07f075d65d'],
    ['https://github.com/enterprises/acme', 'gh-058a97c1b2e0'],
    ['https://ghe.example.com/enterprises/acme', 'gh-0e2f5e61efa2'],
  ])('derives from %s', (url, installation) => {
    expect(installationOf(url)).toBe(installation);
  });

  test.each([
    ['U+0085 and U+00A0 around it', '\u0085https://github.com/acme\u00a0', 'gh-47a00949ae7d'],
    ['wide and line-separating spaces', '\u3000\u2028 https://github.com/acme\u1680', 'gh-47a00949ae7d'],
    ['a byte order mark, which stays', '\ufeffhttps://github.com/acme', 'gh-2694da2e0851'],
    ['U+180E, which stays', '\u180ehttps://github.com/acme', 'gh-ef33d414b2f3'],
    ['a space after the slash', 'https://github.com/acme/ ', 'gh-47a00949ae7d'],
    ['a space before the slash, which stays', 'https://github.com/acme /', 'gh-bbbe0cc62c12'],
    ['U+0130 and the Kelvin sign', 'https://github.com/\u0130\u212a', 'gh-4728c967e5ac'],
    ['a sigma at the end', 'https://github.com/ΟΔΟΣ', 'gh-79c8cc861af0'],
    ['a small sigma at the end', 'https://github.com/οδοσ', 'gh-79c8cc861af0'],
    ['a final sigma, which is another letter', 'https://github.com/οδος', 'gh-3192114b6846'],
  ])('reads a URL with %s', (_, url, installation) => {
    expect(installationOf(url)).toBe(installation);
  });

  test('takes its time by the length of a text alone', () => {
    expect(installationOf(`${' /'.repeat(500_000)}x`)).toMatch(/^gh-[0-9a-f]{12}$/);
  });

  test('refuses what is not text', () => {
    for (const value of NOT_TEXT) expectInvalid(() => installationOf(value as string), 'GitHub URL');
  });

  test('gives an installation whatever the text', () => {
    fc.assert(
      fc.property(anyUnits, (text) => {
        expect(installationOf(text)).toMatch(/^gh-[0-9a-f]{12}$/);
        expect(isInstallation(installationOf(text))).toBe(true);
        expect(installationOf(` ${text}//`)).toBe(installationOf(`\n${text}/`));
      }),
    );
  });
});

describe('isInstallation', () => {
  test.each(['a', '7', 'Z', 'a.b', 'a_-.b', 'gh-4e3651f01be5', 'a'.repeat(63), `a${'-'.repeat(61)}0`])(
    'allows %j',
    (text) => {
      expect(isInstallation(text)).toBe(true);
    },
  );

  test.each([
    ['nothing', ''],
    ['a hyphen at the end', 'a-'],
    ['a dot at the start', '.a'],
    ['an underscore at the end', 'a_'],
    ['a hyphen alone', '-'],
    ['64 letters', 'a'.repeat(64)],
    ['a space inside', 'a b'],
    ['a line feed at the end', 'a\n'],
    ['an accented letter', 'é'],
    ['a full-width letter', '\uff41'],
    ['a slash', 'a/b'],
  ])('refuses %s', (_, text) => {
    expect(isInstallation(text)).toBe(false);
  });

  test('refuses what is not text', () => {
    for (const value of NOT_TEXT) expect(isInstallation(value)).toBe(false);
  });
});
