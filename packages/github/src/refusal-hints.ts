import type { Answer, RequestName } from './answer.js';
import type { ConfigUrl, Scope } from './config-url.js';
import type { Credentials } from './credentials.js';
import { hintForService } from './service-hints.js';
import { decodeFault } from './wire/fault.js';

/** Says how to cure a refusal; nothing where nobody knows. */
export type Advise = (request: RequestName, answer: Answer) => string | undefined;

type Kind = 'app' | 'fine-grained' | 'classic';

function kindOf(credentials: Credentials): Kind {
  if (credentials.kind === 'app') return 'app';
  return credentials.token.reveal().startsWith('github_pat_') ? 'fine-grained' : 'classic';
}

/** The permission that managing runners takes, in the words of GitHub's settings. */
function permissionFor(scope: Scope, kind: Kind): string {
  if (kind === 'classic') {
    const scopes = { organisation: 'admin:org', repository: 'repo', enterprise: 'manage_runners:enterprise' };
    return `the scope ${scopes[scope.kind]}`;
  }
  if (scope.kind === 'repository') return 'the repository permission "Administration": Read and write';
  const runners = 'the organization permission "Self-hosted runners": Read and write';
  return kind === 'app' ? runners : `${runners}, and "Administration": Read-only`;
}

function permissionHint(scope: Scope, kind: Kind, answer: Answer): string {
  const words = decodeFault(answer.body).message;
  const singleSignOn = /url=(\S+)/.exec(answer.headers['x-github-sso'] ?? '')?.[1];
  if (singleSignOn) return `Authorise the token for single sign-on at ${singleSignOn}`;
  if (/IP allow list/i.test(words)) return "Add this host's address to the IP allow list of the organisation.";
  if (/suspended/i.test(words)) return "Lift the suspension in the settings of the App's installation.";
  const accepted = answer.headers['x-accepted-github-permissions'];
  const asked = accepted ? ` (GitHub names ${accepted.replaceAll('=', ': ')})` : '';
  const permission = permissionFor(scope, kind);
  if (kind !== 'app') return `Give the token ${permission}${asked}.`;
  return `Give the App ${permission}${asked}, and accept the change where the App is installed.`;
}

function credentialHint(kind: Kind, answer: Answer, path: string): string {
  if (kind !== 'app') return 'The token has expired, was revoked, or is not whole: make a new one on GitHub.';
  if (!path.startsWith('/app/')) return "Check the App's key, and that the App is installed there.";
  const words = decodeFault(answer.body).message;
  if (/integration not found/i.test(words)) {
    return "GitHub knows no App of that client id: take it from the App's settings page.";
  }
  return "The key is none of the App's (deleted, or another App's): generate a private key on the App's settings page.";
}

const nameOf = (scope: Scope): string => {
  switch (scope.kind) {
    case 'organisation':
      return `the organisation "${scope.organisation}"`;
    case 'repository':
      return `the repository "${scope.owner}/${scope.repository}"`;
    case 'enterprise':
      return `the enterprise "${scope.enterprise}"`;
  }
};

/** What cures refusals of these credentials for this address. */
export function createAdvise({ scope }: ConfigUrl, credentials: Credentials): Advise {
  const kind = kindOf(credentials);
  return ({ service, path }, answer) => {
    if (service !== 'rest') return hintForService(answer.status, decodeFault(answer.body).typeName);
    switch (answer.status) {
      case 401:
        return credentialHint(kind, answer, path);
      case 403:
        return permissionHint(scope, kind, answer);
      case 404: {
        const who = kind === 'app' ? 'the App is installed there' : 'the token may see it';
        return `Check that ${nameOf(scope)} is spelled right and that ${who}, with ${permissionFor(scope, kind)}.`;
      }
      default:
        return undefined;
    }
  };
}
