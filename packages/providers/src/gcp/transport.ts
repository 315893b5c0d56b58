import { AsyncLocalStorage } from 'node:async_hooks';
import { type Clock, isRungarError, messageOf, type Redactor } from '@rungar/model';
import type { Agents } from '@rungar/proxies';
import { certificateHint } from '../shared/certificate-codes.js';
import { waitFor, withinLimit } from '../shared/within-limit.js';
import { tokenGetter } from './credentials.js';
import { errorOfAnswer, GceError, unanswered } from './errors.js';
import type { AuthClient, ClientName, ClientOptions, LibraryClient, LibraryLoader, LibraryRequest } from './library.js';
import type { GcpSettings } from './settings.js';

/** One call of the API. */
export interface LibraryCall {
  readonly client: ClientName;
  readonly method: string;
  readonly request: LibraryRequest;
  /** What its answer is cut down to. */
  readonly fields?: string;
}

/** An answer, as it came. */
export interface Answer {
  readonly text: string;
  /** When Google says it answered, in epoch milliseconds. */
  readonly date: number | undefined;
}

/** Sends calls through Google's library. */
export interface Transport {
  /**
   * Sends one call and gives the answer of success.
   * @throws GceError for any other; the signal's reason when it aborts
   */
  send(call: LibraryCall, signal: AbortSignal): Promise<Answer>;
  close(): void;
}

export interface TransportOptions {
  readonly load: LibraryLoader;
  readonly auth: AuthClient;
  readonly agents: Agents;
  readonly settings: GcpSettings;
  readonly clock: Clock;
  readonly redactor: Redactor;
}

/** What belongs to one call while the library is at work on it. */
interface Pending {
  readonly signal: AbortSignal;
  readonly fields: string | undefined;
  outcome?: Answer | GceError;
}

/** What the library is given in place of an answer: what came is read here, field by field and only once. */
const NOTHING = '{}';
/** Pages are followed here, where a time limit covers them. */
const SINGLE = { autoPaginate: false };

/**
 * The library puts a call's address and body together and has it sent by us: it has no way to give a call up, keeps no
 * time limit, and takes long to read an answer.
 */
export function createTransport(options: TransportOptions): Transport {
  const { load, auth, agents, settings, clock, redactor } = options;
  const pending = new AsyncLocalStorage<Pending>();
  const clients = new Map<ClientName, Promise<LibraryClient>>();
  const getToken = tokenGetter(auth, redactor);
  const agent = settings.endpointUrl?.startsWith('http:') === true ? agents.http : agents.https;

  const exchange = async (one: Pending, url: string, sent: SentByLibrary): Promise<Answer> => {
    await waitFor(getToken(url), one.signal);
    const response = await auth.fetch(withParameters(url, one.fields), {
      method: sent.method,
      headers: sent.headers,
      ...(typeof sent.body === 'string' && { body: sent.body }),
      signal: one.signal,
      responseType: 'text',
      errorRedactor: false, // it would take whole answers away; ours takes out what is secret
      agent,
    });
    return { text: textOf(response.data), date: dateOf(response.headers) };
  };

  const authClient = {
    getRequestHeaders: async (): Promise<Headers> => new Headers(),
    async fetch(url: string, sent: SentByLibrary): Promise<Response> {
      const one = pending.getStore();
      if (one === undefined) throw new Error('a call of the library that is not ours');
      try {
        one.outcome = await exchange(one, url, sent);
      } catch (error) {
        one.outcome = toGceError(error, redactor);
      }
      return new Response(NOTHING);
    },
  };

  const clientOf = (name: ClientName): Promise<LibraryClient> => {
    const known = clients.get(name);
    if (known) return known;
    const client = load
      .client(name)
      .then((Client) => new Client({ authClient, fallback: 'rest', ...addressOf(settings.endpointUrl) }));
    clients.set(name, client);
    client.catch(() => clients.delete(name));
    return client;
  };

  const ask = async (call: LibraryCall, signal: AbortSignal): Promise<Answer> => {
    const client = await clientOf(call.client);
    const one: Pending = { signal, fields: call.fields };
    await pending.run(one, () => carryOut(client, call));
    if (one.outcome instanceof GceError) throw one.outcome;
    if (one.outcome === undefined) throw new Error(`${call.client} sent nothing for ${call.method}`);
    return one.outcome;
  };

  return {
    async send(call, signal) {
      const what = `${call.client.replace(/Client$/, '')}.${call.method}`;
      try {
        return await withinLimit(clock, settings.timeoutMs, what, signal, (limited) => ask(call, limited));
      } catch (error) {
        signal.throwIfAborted();
        if (isRungarError(error, 'unavailable')) throw unanswered(error.message);
        throw error;
      }
    },
    close() {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

/** Has the library send one request: where it would go through pages, the first is empty to it. */
async function carryOut(client: LibraryClient, { method, request }: LibraryCall): Promise<void> {
  if (!method.endsWith('Async')) {
    await client[method]?.(request, SINGLE);
    return;
  }
  const pages = client[method]?.(request, SINGLE) as AsyncIterable<unknown>;
  await pages[Symbol.asyncIterator]().next();
}

/** What the library would have sent. */
interface SentByLibrary {
  readonly method: string;
  readonly headers: Headers;
  readonly body?: unknown;
}

function addressOf(endpointUrl: string | undefined): Omit<ClientOptions, 'authClient' | 'fallback'> {
  if (endpointUrl === undefined) return {};
  const { hostname, port, protocol } = new URL(endpointUrl);
  const usual = protocol === 'https:' ? 443 : 80;
  return { apiEndpoint: hostname, port: port === '' ? usual : Number(port), protocol: protocol.slice(0, -1) };
}

function withParameters(url: string, fields: string | undefined): string {
  const parameters = new URLSearchParams({ prettyPrint: 'false', ...(fields !== undefined && { fields }) });
  const bare = url.replace(/\?$/, '');
  return `${bare}${bare.includes('?') ? '&' : '?'}${parameters}`;
}

/** The library's own error is not kept: it carries what was sent. */
function toGceError(error: unknown, redactor: Redactor): GceError {
  if (error instanceof GceError) return error;
  const { response } = error as { response?: { status?: unknown; data?: unknown } };
  if (typeof response?.status === 'number') return errorOfAnswer(response.status, textOf(response.data), redactor);
  return unanswered(redactor.redact(messageOf(error)), certificateHint(error));
}

function textOf(data: unknown): string {
  return typeof data === 'string' ? data : JSON.stringify(data ?? '');
}

function dateOf(headers: Headers): number | undefined {
  const date = Date.parse(headers.get('date') ?? '');
  return Number.isNaN(date) ? undefined : date;
}
