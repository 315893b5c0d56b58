export { type Agents, openAgents } from './agents.js';
export { type ChooseProxy, createChooseProxy, type ProxySettings, proxySettingsOf } from './proxies.js';
export { PROXY_FAILED, PROXY_REFUSED, ProxyRefusal } from './refusal.js';
export { openTunnel } from './tunnel.js';
export type { Verify } from './tunnel-agent.js';
