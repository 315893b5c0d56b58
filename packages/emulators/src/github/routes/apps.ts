import { randomHex } from '../../random.js';
import { type EmulatedAnswer, type EmulatedRequest, json, Refused, type Route } from '../../server.js';
import { readMembers } from '../body.js';
import type { Credentials } from '../credentials.js';
import { restError, restRefusal } from '../refusals.js';
import type { World } from '../world.js';

export interface AppParts {
  readonly world: World;
  readonly credentials: Credentials;
  /** The server's own address, known once it listens. */
  readonly baseUrl: () => string;
}

/** A form that was sent, until its code is exchanged. */
interface Pending {
  readonly name: string;
  readonly owner: string;
  readonly canManageRunners: boolean;
  readonly expiresAt: number;
}

const API = '/api/v3';
const CODE_LIFE_MS = 3_600_000;
const MANIFEST = ['name', 'url', 'redirect_url', 'public', 'default_permissions', 'default_events'];
const PERMISSIONS = ['organization_self_hosted_runners', 'administration', 'metadata'];
/** What a browser sends by itself with a form. */
const BROWSER_HEADERS = (
  'cookie dnt origin priority referer sec-ch-ua sec-ch-ua-mobile sec-ch-ua-platform sec-fetch-dest sec-fetch-site ' +
  'sec-fetch-user sec-gpc upgrade-insecure-requests'
).split(' ');

/** The App manifest flow: the page that a browser sends a manifest to, and the exchange of the code it hands back. */
export function appRoutes(parts: AppParts): Route[] {
  const { world, credentials, baseUrl } = parts;
  const pending = new Map<string, Pending>();

  const createFrom = (owner: string, needed: string) => (request: EmulatedRequest) =>
    answerOf(() => {
      const wrong = (message: string): Error => restRefusal(422, message);
      const manifest = readMembers(new URLSearchParams(request.body).get('manifest') ?? '', MANIFEST, wrong);
      const permissions = manifest.optionalObject('default_permissions', PERMISSIONS);
      manifest.text('url');
      const back = new URL(manifest.text('redirect_url'));
      const code = randomHex(world.random, 20);
      pending.set(code, {
        name: manifest.text('name'),
        owner: owner || (world.account(request.params.org ?? '')?.login ?? ''),
        canManageRunners: permissions?.optionalText(needed) === 'write',
        expiresAt: world.clock.now() + CODE_LIFE_MS,
      });
      back.searchParams.set('code', code);
      back.searchParams.set('state', request.query.get('state') ?? '');
      return { status: 302, headers: { location: back.href } };
    });

  const exchange = async ({ params: { code = '' } }: EmulatedRequest): Promise<EmulatedAnswer> => {
    const form = pending.get(code);
    pending.delete(code);
    if (!form || form.expiresAt <= world.clock.now()) return restError(404, 'Not Found');
    const { name, owner, canManageRunners } = form;
    const { appId, clientId, privateKey } = await credentials.createApp({ canManageRunners, owner });
    const slug = name.toLowerCase().replace(/[^a-z0-9]+/g, '-');
    return json(201, {
      id: appId,
      slug,
      client_id: clientId,
      name,
      html_url: `${baseUrl()}/apps/${slug}`,
      pem: privateKey,
      owner: { login: owner },
    });
  };

  const page = { method: 'POST', query: ['state'], headers: BROWSER_HEADERS, takesBody: true };
  const headers = ['authorization', 'x-github-api-version'];
  const [person = ''] = world.people;
  return [
    {
      ...page,
      operation: 'new-app',
      path: '/organizations/:org/settings/apps/new',
      handle: createFrom('', 'organization_self_hosted_runners'),
    },
    { ...page, operation: 'new-app', path: '/settings/apps/new', handle: createFrom(person, 'administration') },
    {
      operation: 'convert-app-manifest',
      method: 'POST',
      path: `${API}/app-manifests/:code/conversions`,
      headers,
      handle: exchange,
    },
    {
      operation: 'list-installations',
      method: 'GET',
      path: `${API}/app/installations`,
      query: ['per_page', 'page'],
      headers,
      handle: (request) =>
        answerOf(() => {
          const [scheme = '', token = ''] = (request.headers.authorization ?? '').split(' ');
          if (scheme.toLowerCase() !== 'bearer') throw restRefusal(401, 'Requires authentication');
          const app = credentials.appOf(token);
          if (typeof app === 'string') throw restRefusal(401, app);
          return json(200, [{ id: app.installationId, account: { login: app.owner } }]);
        }),
    },
  ];
}

function answerOf(handle: () => EmulatedAnswer): EmulatedAnswer {
  try {
    return handle();
  } catch (error) {
    if (error instanceof Refused) return error.answer;
    throw error;
  }
}
