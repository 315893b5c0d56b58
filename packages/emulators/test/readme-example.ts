import { strict as assert } from 'node:assert';
import { startGitHubEmulator } from '@rungar/emulators/github';

const github = await startGitHubEmulator({ pollHoldMs: 2_000 });
const send = async <T>(url: string, method: string, authorization: string, body?: object): Promise<T> => {
  const headers = { authorization, ...(body && { 'content-type': 'application/json' }) };
  const response = await fetch(url, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  assert(response.ok, `${method} ${url} answered ${response.status}: ${await response.clone().text()}`);
  return (await response.json()) as T;
};

// A tool signs in: from a personal access token to the Actions service.
const api = `${github.url}/api/v3`;
const pat = github.createToken();
const registration = await send<{ token: string }>(
  `${api}/orgs/acme/actions/runners/registration-token`,
  'POST',
  `Bearer ${pat}`,
);
const service = await send<{ url: string; token: string }>(
  `${api}/actions/runner-registration`,
  'POST',
  `RemoteAuth ${registration.token}`,
  {
    url: github.configUrl,
    runner_event: 'register',
  },
);
const scaleSets = `${service.url}_apis/runtime/runnerscalesets`;
const version = '?api-version=6.0-preview';
const admin = `Bearer ${service.token}`;

// It creates a scale set, opens a session, and says that it has room for one runner.
const scaleSet = await send<{ id: number }>(`${scaleSets}${version}`, 'POST', admin, {
  name: 'linux',
  runnerGroupId: 1,
});
const session = await send<{ messageQueueUrl: string; messageQueueAccessToken: string }>(
  `${scaleSets}/${scaleSet.id}/sessions${version}`,
  'POST',
  admin,
  { ownerName: 'my-tool' },
);
const poll = fetch(session.messageQueueUrl, {
  headers: {
    authorization: `Bearer ${session.messageQueueAccessToken}`,
    accept: 'application/json; api-version=6.0-preview',
    'x-scalesetmaxcapacity': '1',
  },
});

// Somebody pushes, and the tool hears of it.
github.queueJob({ repository: 'acme/web', labels: ['linux'], seconds: 0.2 });
const message = (await (await poll).json()) as { statistics: { totalAssignedJobs: number } };
assert.equal(message.statistics.totalAssignedJobs, 1);

// It registers a runner; the emulator starts one with the configuration, and the job runs.
const jit = await send<{ encodedJITConfig: string }>(
  `${scaleSets}/${scaleSet.id}/generatejitconfig${version}`,
  'POST',
  admin,
  {
    name: 'linux-1',
    workFolder: '',
  },
);
github.startRunner(jit.encodedJITConfig);
await github.until(() => github.jobs().every((job) => job.state === 'completed'));

const [job] = github.jobs();
assert.equal(job?.result, 'succeeded');
assert.equal(job?.runnerName, 'linux-1');
await github.close();
