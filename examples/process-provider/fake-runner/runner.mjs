// A runner for the emulated GitHub, as small as one can be: it connects with the registration it was given, takes one
// job, and ends. The real one speaks another protocol: unpack it in this folder's place.
import { setTimeout as sleep } from 'node:timers/promises';

const decode = (text) => JSON.parse(Buffer.from(text, 'base64').toString());

const files = decode(process.env.ACTIONS_RUNNER_INPUT_JITCONFIG);
const { serverUrl, runnerId, name } = decode(files['.runner']);
const { secret } = decode(files['.credentials']).data;

async function call(method, path, body) {
  const response = await fetch(`${serverUrl}/${runnerId}/${path}`, {
    method,
    headers: { authorization: `Bearer ${secret}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}`);
  return response.status === 202 ? undefined : response.json();
}

await call('POST', 'connect', {});
console.log(`${name}: waiting for a job`);
let job;
while (!job) job = await call('GET', 'job');
console.log(`${name}: running job ${job.jobId}`);
await sleep(job.seconds * 1000);
await call('POST', `jobs/${job.jobId}/finish`, { result: job.fail ? 'failed' : 'succeeded' });
console.log(`${name}: done`);
