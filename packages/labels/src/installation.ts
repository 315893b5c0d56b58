import { InvalidArgument, requireText, shown } from './invalid-argument.js';
import { sha256Hex } from './sha256.js';
import { lowerCase, trimWhiteSpace } from './text.js';

const INSTALLATION = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/;

/**
 * The installation derived from `github.url`: `gh-` and the first 12 hex digits of the SHA-256 of the URL without
 * surrounding white space, in lower case, without trailing slashes. Whether it is a URL is not checked.
 * @throws an error of code `invalid_argument` when `url` is not text
 */
export function installationOf(url: string): string {
  requireText(url, 'the GitHub URL');
  return `gh-${sha256Hex(withoutTrailingSlashes(lowerCase(trimWhiteSpace(url))), 12)}`;
}

/** Whether `text` may be configured as an installation: 1 to 63 of `A-Z a-z 0-9 . _ -`, a letter or digit at both ends. */
export function isInstallation(text: unknown): text is string {
  return typeof text === 'string' && INSTALLATION.test(text);
}

/** @throws an error of code `invalid_argument` that states the rule */
export function requireInstallation(text: unknown): asserts text is string {
  if (isInstallation(text)) return;
  throw new InvalidArgument(
    `${shown(text)} is no installation: it must be 1 to 63 letters, digits, ".", "_" and "-", starting and ending with a letter or digit`,
    'set installation to such a text, or leave it out to have it derived from github.url',
  );
}

function withoutTrailingSlashes(text: string): string {
  let end = text.length;
  while (text[end - 1] === '/') end--;
  return text.slice(0, end);
}
