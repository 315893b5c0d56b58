import { strict as assert } from 'node:assert';
import { installationSelector, runnerLabels, runnerName, toProxmoxDescription, toProxmoxTags } from '@rungar/labels';
import { createRedactor, Secret, silentLogger, systemClock } from '@rungar/model';
import { seededRandom } from '@rungar/model/testing';
import { openProxmoxWith, type Transport } from '@rungar/providers/proxmox';
import type { Benchmark, Lab } from '../benchmark.js';
import { compare, type Round } from '../measure.js';

const MACHINES = 2_500;
const INSTALLATION = 'gh-4e3651f01be5';
const ROUND_MS = 60;
const CREATED = new Date(Date.UTC(2026, 8, 29, 10, 15, 2));

interface Listing {
  /** What `cluster/resources` answers. */
  readonly text: string;
  /** What the VMs' configurations answer, by VMID. */
  readonly configs: ReadonlyMap<number, string>;
}

/** A cluster of three nodes full of runners of ten scale sets, each VM with every field Proxmox VE gives it. */
function someListing(): Listing {
  const configs = new Map<number, string>();
  const entries: Record<string, unknown>[] = [1, 2, 3].map((node) => ({
    id: `node/pve${node}`,
    type: 'node',
    node: `pve${node}`,
    status: 'online',
    maxcpu: 128,
    maxmem: 1_099_511_627_776,
    mem: 549_755_813_888,
  }));
  for (let at = 0; at < MACHINES; at++) {
    const scaleSet = `linux-${at % 10}`;
    const name = runnerName(scaleSet, at.toString(16).padStart(8, '0'));
    const labels = runnerLabels({ installation: INSTALLATION, scaleSet, runner: name, revision: 'a0895bd4f55a' });
    const vmid = 1000 + at;
    configs.set(vmid, JSON.stringify({ data: { name, description: toProxmoxDescription(labels, CREATED) } }));
    entries.push({
      id: `qemu/${vmid}`,
      type: 'qemu',
      vmid,
      node: `pve${(at % 3) + 1}`,
      name,
      status: 'running',
      template: 0,
      tags: toProxmoxTags(labels).join(';'),
      maxcpu: 4,
      cpu: 0.1331,
      maxmem: 8_589_934_592,
      mem: 4_294_967_296,
      maxdisk: 34_359_738_368,
      disk: 0,
      diskread: 1_234_567,
      diskwrite: 7_654_321,
      netin: 123_456,
      netout: 654_321,
      uptime: 12_345,
    });
  }
  return { text: JSON.stringify({ data: entries }), configs };
}

function answering({ text, configs }: Listing): Transport {
  return {
    async send({ path }) {
      const [, , , vmid = ''] = path.split('/');
      const body = path === 'cluster/resources' ? text : (configs.get(Number(vmid)) ?? '');
      return { status: 200, reason: 'OK', body, date: undefined };
    },
    close() {},
  };
}

/** A round of as many turns as fit its time, and the CPU time that one took. */
function roundOf(lab: Lab, work: () => unknown): Round {
  return async () => {
    const start = lab.cpu();
    let count = 0;
    let now = start;
    do {
      await work();
      count += 1;
      now = lab.cpu();
    } while (now - start < ROUND_MS);
    return (now - start) / count;
  };
}

export const proxmoxListing: Benchmark = {
  id: 'P21',
  kind: 'real',
  what: 'a listing of 2,500 Proxmox machines that are known already',
  measurements: [
    {
      what: 'the answer read, its machines found and put together ÷ JSON.parse of it',
      async run(lab) {
        const listing = someListing();
        const provider = await openProxmoxWith(
          async () => answering(listing),
          {
            url: 'https://pve.example.com:8006',
            tokenId: 'rungar@pve!daemon',
            tokenSecret: new Secret('not-a-real-secret'),
            tls: { insecureSkipVerify: false },
            nodes: [],
            timeoutMs: 10_000,
          },
          {
            name: 'rack',
            clock: systemClock,
            random: seededRandom(lab.seed),
            logger: silentLogger,
            redactor: createRedactor(),
          },
        );
        const { signal } = new AbortController();
        const list = () => provider.list(installationSelector(INSTALLATION), { signal });
        const [machine, ...others] = (await list()).parts.flatMap(({ machines }) => machines);
        assert.equal(others.length, MACHINES - 1);
        assert.deepEqual(machine, {
          name: 'linux-0-00000000',
          id: '1000',
          labels: runnerLabels({
            installation: INSTALLATION,
            scaleSet: 'linux-0',
            runner: 'linux-0-00000000',
            revision: 'a0895bd4f55a',
          }),
          state: 'running',
          size: '4 vCPU, 8 GiB',
          createdAt: CREATED.getTime(),
        });
        const times = await compare(
          roundOf(lab, list),
          roundOf(lab, () => JSON.parse(listing.text)),
        );
        await provider.close();
        return {
          ours: times.oursMs,
          reference: times.referenceMs,
          unit: 'ms',
          ratio: times.ratio,
          spread: { min: times.min, max: times.max },
          better: 'lower',
          target: 1.5,
          bar: 2.5,
        };
      },
    },
  ],
};
