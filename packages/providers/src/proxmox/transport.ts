import type { Agent } from 'node:https';
import type { Secret } from '@rungar/model';
import { createChooseProxy, openAgents, type ProxySettings } from '@rungar/proxies';
import type { Got, Response } from 'got';
import { checkFingerprint, PinnedAgent } from './pinned-agent.js';
import type { ProxmoxSettings } from './settings.js';

/** One call of the API. */
export interface PveRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below `/api2/json/`, without a slash in front, its segments encoded. */
  readonly path: string;
  /** In the query of GET and DELETE, in the body of POST and PUT. */
  readonly params: Readonly<Record<string, string>>;
}

/** An answer, whatever its status. */
export interface PveReply {
  readonly status: number;
  /** What stands after the status in its line: Proxmox VE says there what is wrong. */
  readonly reason: string;
  readonly body: string;
  /** The `Date` header. */
  readonly date: string | undefined;
}

/** Brings calls to a cluster. */
export interface Transport {
  /** @throws when there is no whole answer; the error may carry what was sent */
  send(request: PveRequest, signal: AbortSignal): Promise<PveReply>;
  /** Closes its connections. */
  close(): void;
}

/** What a transport needs beside the settings: what their files hold. */
export interface PveCredentials {
  readonly tokenSecret: Secret;
  /** PEM; empty for the system's authorities. */
  readonly authorities: readonly string[];
}

/** How a cluster is reached; another way in tests. */
export type Connect = (
  settings: ProxmoxSettings,
  credentials: PveCredentials,
  proxies: ProxySettings,
) => Promise<Transport>;

const MOST_BYTES = 16 * 1024 * 1024;
/** More than the creations, deletions and listings a provider has in flight at once. */
const SOCKETS = 128;
/** Shorter than pveproxy keeps an idle connection, so that none is used that it has just closed. */
const IDLE_MS = 3_000;
const READ_RETRY_MS = 50;

/** Reaches a cluster with `got`, which is loaded now; asks nothing yet. */
export const connectWithGot: Connect = async (settings, { tokenSecret, authorities }, proxies) => {
  const { got } = await import('got');
  const agent = await agentFor(settings, proxies);
  const client = got.extend({
    prefixUrl: `${settings.url}/api2/json/`,
    agent: { https: agent },
    headers: {
      accept: 'application/json',
      authorization: `PVEAPIToken=${settings.tokenId}=${tokenSecret.reveal()}`,
      'user-agent': 'rungar',
    },
    https: {
      minVersion: 'TLSv1.2',
      rejectUnauthorized: !settings.tls.insecureSkipVerify,
      ...(authorities.length > 0 && { certificateAuthority: [...authorities] }),
    },
    throwHttpErrors: false,
    followRedirect: false,
    responseType: 'text',
    retry: {
      limit: 1,
      methods: ['GET'],
      statusCodes: [],
      errorCodes: ['ECONNRESET', 'EPIPE'],
      calculateDelay: ({ computedValue }) => (computedValue === 0 ? 0 : READ_RETRY_MS),
    },
  });
  return {
    send: async (request, signal) => toReply(await sendWith(client, request, signal)),
    close: () => agent.destroy(),
  };
};

async function agentFor({ url, tls: { fingerprint } }: ProxmoxSettings, proxies: ProxySettings): Promise<Agent> {
  const options = { keepAlive: true, maxSockets: SOCKETS, timeout: IDLE_MS };
  const cluster = new URL(url);
  if (fingerprint === undefined) return (await openAgents(proxies, cluster, options)).https;
  if (!createChooseProxy(proxies)(cluster)) return new PinnedAgent(fingerprint, options);
  return (await openAgents(proxies, cluster, options, (socket) => checkFingerprint(socket, fingerprint))).https;
}

async function sendWith(
  client: Got,
  { method, path, params }: PveRequest,
  signal: AbortSignal,
): Promise<Response<string>> {
  const hasParams = Object.keys(params).length > 0;
  const takesForm = method === 'POST' || method === 'PUT';
  const sent = client(path, {
    method,
    signal,
    ...(hasParams && (takesForm ? { form: params } : { searchParams: params })),
  });
  void sent.on('downloadProgress', ({ transferred }) => {
    if (transferred > MOST_BYTES) sent.cancel(`an answer of more than ${MOST_BYTES} bytes`);
  });
  return sent;
}

function toReply({ statusCode, statusMessage, body, headers }: Response<string>): PveReply {
  return { status: statusCode, reason: statusMessage ?? '', body, date: headers.date };
}
