import {
  type LocatedMap,
  memberPath,
  type ProblemSink,
  placeOf,
  quoted,
  type Reading,
  readMapping,
  Secret,
} from '@rungar/model';
import { GITHUB_FIELDS } from './fields.js';
import { addError } from './problem-list.js';
import type { GitHubCredentials, GitHubSettings } from './settings.js';

type GitHub = Reading<typeof GITHUB_FIELDS>;

const APP_KEYS = ['app_client_id', 'app_installation_id', 'app_private_key', 'app_private_key_path'] as const;
const FORMS = 'https://HOST/ORGANISATION, https://HOST/OWNER/REPOSITORY or https://HOST/enterprises/ENTERPRISE';

/** `github` as far as it could be read. */
export interface GitHubReading {
  /** Nothing when anything of it is wrong. */
  readonly settings: GitHubSettings | undefined;
  /** Nothing when they are wrong. */
  readonly credentials: GitHubCredentials | undefined;
}

/** Reads `github`: one scope, and one way to prove who asks. */
export function readGitHub(map: LocatedMap, path: string, problems: ProblemSink): GitHubReading {
  const github = readMapping(map, GITHUB_FIELDS, path, problems);
  const report = (key: keyof typeof GITHUB_FIELDS, message: string, hint?: string): void =>
    addError(problems, { place: placeOf(map, key), path: memberPath(path, key), message, ...(hint && { hint }) });

  const isEnterprise = checkUrl(github, path, problems);
  const credentials = APP_KEYS.some((key) => isSet(github, key))
    ? readApp(github, isEnterprise, report)
    : readToken(github, report);
  const fine = github.all !== undefined && isEnterprise !== undefined && credentials !== undefined;
  return { settings: fine ? { url: github.all.url.trim(), credentials } : undefined, credentials };
}

type Report = (key: keyof typeof GITHUB_FIELDS, message: string, hint?: string) => void;

/** Whether a key was written with something in it, right or wrong. */
function isSet(github: GitHub, key: keyof typeof GITHUB_FIELDS): boolean {
  return github.values[key] !== undefined || github.wrong.has(key);
}

function readApp(github: GitHub, isEnterprise: boolean | undefined, report: Report): GitHubCredentials | undefined {
  const { app_client_id, app_installation_id, app_private_key, app_private_key_path } = github.values;
  let fine = true;
  const refuse: Report = (...words) => {
    fine = false;
    report(...words);
  };
  if (!isSet(github, 'app_client_id'))
    refuse('app_client_id', 'is missing', `it is ${GITHUB_FIELDS.app_client_id.description}`);
  if (!isSet(github, 'app_installation_id')) {
    refuse('app_installation_id', 'is missing', `it is ${GITHUB_FIELDS.app_installation_id.description}`);
  }
  if (isSet(github, 'app_private_key') && isSet(github, 'app_private_key_path')) {
    refuse('app_private_key_path', 'cannot stand beside app_private_key', 'keep one of the two');
  } else if (!isSet(github, 'app_private_key') && !isSet(github, 'app_private_key_path')) {
    refuse('app_private_key_path', 'is missing', 'set it, or app_private_key');
  }
  for (const key of ['token', 'token_path'] as const) {
    if (isSet(github, key)) refuse(key, 'cannot stand beside an App', 'keep the App or the token');
  }
  if (isEnterprise === true) {
    refuse(
      'url',
      'is an enterprise, where GitHub allows no App',
      'use a classic token with manage_runners:enterprise instead',
    );
  }
  if (!fine || app_client_id === undefined || app_installation_id === undefined) return undefined;
  return {
    kind: 'app',
    clientId: app_client_id,
    installationId: app_installation_id,
    ...(app_private_key !== undefined && { privateKey: new Secret(app_private_key) }),
    ...(app_private_key_path !== undefined && { privateKeyPath: app_private_key_path }),
  };
}

function readToken(github: GitHub, report: Report): GitHubCredentials | undefined {
  const { token, token_path } = github.values;
  if (token !== undefined && token_path !== undefined) {
    report('token_path', 'cannot stand beside token', 'keep one of the two');
    return undefined;
  }
  if (!isSet(github, 'token') && !isSet(github, 'token_path')) {
    const hint =
      'set app_client_id, app_installation_id and app_private_key_path of a GitHub App (recommended), or token_path';
    report('app_client_id', 'is missing, and so is a token: there are no credentials', hint);
    return undefined;
  }
  return {
    kind: 'token',
    ...(token !== undefined && { token: new Secret(token.trim()) }),
    ...(token_path !== undefined && { tokenPath: token_path }),
  };
}

/** @returns whether it is an enterprise; nothing when it is unusable, which then was said */
function checkUrl(github: GitHub, path: string, problems: ProblemSink): boolean | undefined {
  // Slashes at both ends do not matter.
  const text = github.values.url?.trim().replace(/^\/+|\/+$/g, '');
  if (text === undefined) return undefined;
  const at = { place: placeOf(github.map, 'url'), path: memberPath(path, 'url') };
  const [address = ''] = text.split(/[?#]/, 1);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && `${url.username}${url.password}` !== '') {
    addError(problems, { ...at, message: 'must not hold a user or a password', hint: `give ${FORMS}` });
    return undefined;
  }
  if (address !== text) {
    addError(problems, { ...at, message: 'must not hold a query or a fragment', hint: `give ${FORMS}` });
    return undefined;
  }
  const segments = url?.pathname.replace(/^\/+|\/+$/g, '').split('/') ?? [];
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  const [first = ''] = segments;
  if (!isWeb || segments.length > 2 || !segments.every(isName)) {
    addError(problems, { ...at, message: `must be one of ${FORMS}, not ${quoted(text)}`, value: text });
    return undefined;
  }
  if (url?.protocol === 'http:' && !isLoopback(url.hostname)) {
    const message = 'is not encrypted: credentials can be read on the way';
    problems.add({ severity: 'warning', ...at, message, hint: 'use https' });
  }
  return segments.length === 2 && first.toLowerCase() === 'enterprises';
}

/** Whether a part of the path is something, and can be read. */
function isName(segment: string): boolean {
  try {
    return decodeURIComponent(segment) !== '';
  } catch {
    return false;
  }
}

/** What is sent to this host itself passes nobody on the way. */
function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);
}
