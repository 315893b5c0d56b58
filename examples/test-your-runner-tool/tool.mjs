// A small tool for self-hosted runners: what is tested in tool.test.mjs.
import { setTimeout as wait } from 'node:timers/promises';

const VERSION = 'api-version=6.0-preview';

/**
 * @typedef {object} Tool
 * @property {string} configUrl as a browser shows the organisation
 * @property {string} token a personal access token
 * @property {string} scaleSet
 * @property {number} capacity how many runners there may be
 * @property {(jitConfig: string) => void} startRunner
 * @property {AbortSignal} signal
 */

/**
 * @param {string} url
 * @param {RequestInit} init
 * @param {AbortSignal} signal
 */
async function ask(url, init, signal) {
  for (let attempt = 0; ; attempt++) {
    const answer = await fetch(url, { ...init, signal });
    if (answer.status !== 429 && answer.status < 500) return answer;
    if (attempt === 4) throw new Error(`${url} answered ${answer.status} five times`);
    await wait(Number(answer.headers.get('retry-after') ?? 1) * 1000, undefined, { signal });
  }
}

/**
 * @param {Response} answer
 * @returns {Promise<any>} what GitHub wrote, in whatever shape
 */
const read = (answer) => answer.json();

/** @param {Tool} tool */
async function signIn({ configUrl, token, signal }) {
  const { origin, pathname } = new URL(configUrl);
  const api = `${origin}/api/v3`;
  const registration = await ask(
    `${api}/orgs${pathname}/actions/runners/registration-token`,
    { method: 'POST', headers: { authorization: `Bearer ${token}` } },
    signal,
  );
  const { token: registrationToken } = await read(registration);
  const service = await ask(
    `${api}/actions/runner-registration`,
    {
      method: 'POST',
      headers: { authorization: `RemoteAuth ${registrationToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ url: configUrl, runner_event: 'register' }),
    },
    signal,
  );
  return /** @type {Promise<{ url: string; token: string }>} */ (read(service));
}

/**
 * Serves the jobs of one scale set until `signal` aborts.
 * @param {Tool} tool
 */
export async function serve(tool) {
  const { scaleSet, capacity, startRunner, signal } = tool;
  const service = await signIn(tool);
  const call = async (/** @type {string} */ method, /** @type {string} */ path, /** @type {unknown} */ body) => {
    const headers = { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' };
    const url = `${service.url}_apis/runtime/runnerscalesets${path}`;
    const answer = await ask(url, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) }, signal);
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`);
    return read(answer);
  };
  const found = await call('GET', `?runnerGroupId=1&name=${encodeURIComponent(scaleSet)}&${VERSION}`, undefined);
  const { id } = found.value[0] ?? (await call('POST', `?${VERSION}`, { name: scaleSet, runnerGroupId: 1 }));
  let session = await call('POST', `/${id}/sessions?${VERSION}`, { ownerName: 'tool' });

  const fromQueue = async (/** @type {string} */ method, /** @type {(url: URL) => void} */ change) => {
    for (let renewed = false; ; renewed = true) {
      const url = new URL(session.messageQueueUrl);
      change(url);
      const headers = {
        authorization: `Bearer ${session.messageQueueAccessToken}`,
        accept: 'application/json; api-version=6.0-preview',
        ...(method === 'GET' && { 'x-scalesetmaxcapacity': String(capacity) }),
      };
      const answer = await ask(url.href, { method, headers }, signal);
      if (answer.status !== 401 || renewed) return answer;
      session = await call('PATCH', `/${id}/sessions/${session.sessionId}?${VERSION}`, undefined);
    }
  };

  let runners = 0;
  let last = 0;
  while (!signal.aborted) {
    const answer = await fromQueue('GET', (url) => last && url.searchParams.set('lastMessageId', String(last)));
    if (answer.status !== 200) continue;
    const message = await read(answer);
    last = message.messageId;
    await fromQueue('DELETE', (url) => {
      url.pathname += `/${last}`;
    });
    for (const job of JSON.parse(message.body)) if (job.messageType === 'JobCompleted') runners--;
    for (; runners < Math.min(capacity, message.statistics.totalAssignedJobs); runners++) {
      const name = `${scaleSet}-${crypto.randomUUID().slice(0, 8)}`;
      const { encodedJITConfig } = await call('POST', `/${id}/generatejitconfig?${VERSION}`, { name, workFolder: '' });
      startRunner(encodedJITConfig);
    }
  }
}
