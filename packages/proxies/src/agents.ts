import type { AgentOptions, Agent as HttpAgent } from 'node:http';
import type { Agent as HttpsAgent } from 'node:https';
import { createChooseProxy, type ProxySettings, proxyOf } from './proxies.js';
import type { Verify } from './tunnel-agent.js';

/** What requests go out by. */
export interface Agents {
  readonly http: HttpAgent;
  readonly https: HttpsAgent;
}

/**
 * Opens the agents of a client. What makes way through a proxy is loaded only where there is one.
 * @param url whom the client asks: its `http:` requests all go there; `https:` ones may go anywhere, and each finds its
 * own way
 * @param options of both agents
 * @param verify judges certificates in Node's place
 * @throws RungarError `invalid_argument` naming the variable that is no proxy's address
 */
export async function openAgents(
  settings: ProxySettings,
  url: URL,
  options: AgentOptions,
  verify?: Verify,
): Promise<Agents> {
  const proxyFor = createChooseProxy(settings);
  const plainProxy = url.protocol === 'http:' ? proxyFor(url) : undefined;
  const [http, https] = await Promise.all([openPlain(plainProxy, options), openSealed(settings, options, verify)]);
  return { http, https };
}

async function openPlain(proxy: URL | undefined, options: AgentOptions): Promise<HttpAgent> {
  if (!proxy) return new (await import('node:http')).Agent(options);
  const { HttpProxyAgent } = await import('http-proxy-agent');
  return new HttpProxyAgent(proxy, options);
}

async function openSealed(settings: ProxySettings, options: AgentOptions, verify?: Verify): Promise<HttpsAgent> {
  const proxy = proxyOf(settings, 'https:');
  if (!proxy) return new (await import('node:https')).Agent(options);
  const { TunnelAgent } = await import('./tunnel-agent.js');
  // The library's type lacks what only Node's own agents have, and nobody asks for.
  return new TunnelAgent(proxy, createChooseProxy(settings), options, verify) as unknown as HttpsAgent;
}
