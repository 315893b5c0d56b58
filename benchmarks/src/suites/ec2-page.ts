import { strict as assert } from 'node:assert';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DescribeInstancesCommand, EC2Client, type Tag } from '@aws-sdk/client-ec2';
import { type Labels, parseAwsTags } from '@rungar/labels';
import { createRedactor, silentLogger, systemClock } from '@rungar/model';
import { seededRandom } from '@rungar/model/testing';
import { openAws } from '@rungar/providers/aws';
import type { Benchmark } from '../benchmark.js';
import { compare, type Round } from '../measure.js';
import { startOther } from '../other-process.js';
import { someLabels } from './machines.js';
import { pageOfEc2Instances } from './simulated-ec2.js';

const MACHINES = 1_000;
const CALLS_A_ROUND = 3;
const REGION = 'eu-central-1';
const KEY = { accessKeyId: 'AKIABENCHMARK0000000', secretAccessKey: 'not/a/secret' };

/** Answers every request with the file named, as EC2 would with a page. */
const PAGE_SERVER = `
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
const page = readFileSync(process.argv[1]);
const server = createServer((request, response) => {
  request.resume().on('end', () => response.writeHead(200, { 'content-type': 'text/xml' }).end(page));
});
server.listen(0, '127.0.0.1', () => console.log('http://127.0.0.1:' + server.address().port));
`;

export const ec2Page: Benchmark = {
  id: 'P21',
  kind: 'real',
  what: `a page of ${MACHINES.toLocaleString('en')} EC2 instances, from the wire to machines`,
  measurements: [
    {
      what: "CPU ÷ the SDK's own reading of it",
      async run(lab) {
        const labels = someLabels(seededRandom(lab.seed), MACHINES);
        const installation = labels[0]?.['rungar.sh/installation'] ?? '';
        const selector = { 'rungar.sh/managed': 'true', 'rungar.sh/installation': installation };
        const folder = await mkdtemp(join(tmpdir(), 'rungar-page-'));
        const file = (name: string): string => join(folder, name);
        await writeFile(file('page.xml'), pageOfEc2Instances(labels));
        await writeFile(
          file('credentials'),
          `[bench]\naws_access_key_id = ${KEY.accessKeyId}\naws_secret_access_key = ${KEY.secretAccessKey}\n`,
        );
        const server = await startOther(lab, PAGE_SERVER, [file('page.xml')]);
        const client = new EC2Client({ region: REGION, endpoint: server.said, credentials: KEY });
        const settings = {
          region: REGION,
          subnets: ['subnet-0a1b2c3d'],
          securityGroups: [],
          endpointUrl: server.said,
          credentialsFile: file('credentials'),
          profile: 'bench',
          timeoutMs: 30_000,
        };
        const provider = await openAws(settings, {
          name: 'frankfurt',
          clock: systemClock,
          random: seededRandom(lab.seed),
          logger: silentLogger,
          redactor: createRedactor(),
        });
        try {
          const list = async (): Promise<readonly Labels[]> => {
            const { parts } = await provider.list(selector, { signal: new AbortController().signal });
            return parts.flatMap((part) => part.machines.map((machine) => machine.labels));
          };
          const listWithSdk = async (): Promise<readonly (readonly Tag[])[]> => {
            const { Reservations = [] } = await client.send(new DescribeInstancesCommand({ MaxResults: MACHINES }));
            return Reservations.flatMap(({ Instances = [] }) => Instances.map(({ Tags = [] }) => Tags));
          };
          assert.deepEqual(await list(), labels);
          assert.deepEqual((await listWithSdk()).map(parseAwsTags), labels);
          const round =
            (work: () => Promise<unknown>): Round =>
            async () => {
              const start = lab.cpu();
              for (let call = 0; call < CALLS_A_ROUND; call++) await work();
              return lab.cpu() - start;
            };
          const result = await compare(round(list), round(listWithSdk));
          return {
            ours: result.oursMs / CALLS_A_ROUND,
            reference: result.referenceMs / CALLS_A_ROUND,
            unit: 'ms',
            ratio: result.ratio,
            spread: { min: result.min, max: result.max },
            better: 'lower',
            target: 0.2,
            bar: 0.35,
          };
        } finally {
          await provider.close();
          client.destroy();
          server.close();
          await rm(folder, { recursive: true });
        }
      },
    },
  ],
};
