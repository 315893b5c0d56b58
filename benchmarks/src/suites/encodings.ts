import { strict as assert } from 'node:assert';
import { hash } from 'node:crypto';
import {
  createProxmoxTagger,
  installationOf,
  LABEL,
  parseAwsTags,
  parseDicerLabels,
  parseGcpMetadata,
  parseProxmoxDescription,
  revisionOf,
  toAwsTags,
  toDicerLabels,
  toGcpLabels,
  toGcpMetadata,
  toProxmoxDescription,
} from '@rungar/labels';
import type { Random } from '@rungar/model';
import type { Benchmark } from '../benchmark.js';
import { rate } from '../rate.js';
import { someLabels, someSpecifications, someUrls } from './machines.js';

const CREATED = new Date('2027-01-04T09:00:00Z');

/** The installation of a URL, the bare way: right for addresses in ASCII. */
const bareInstallation = (url: string): string =>
  `gh-${hash('sha256', url.trim().toLowerCase().replace(/\/+$/, '')).slice(0, 12)}`;

export const installation: Benchmark = {
  id: 'P30',
  kind: 'real',
  what: 'installation of a URL ÷ bare normalise and hash',
  measurements: [
    rate({
      what: 'distinct URLs',
      inputs: (random) => someUrls(random, 2_000),
      check: (url) => assert.equal(installationOf(url), bareInstallation(url)),
      ours: installationOf,
      reference: bareInstallation,
      target: 0.8,
      bar: 0.5,
    }),
  ],
};

const someMachines = (random: Random) => someLabels(random, 1_000);

const proxmoxTags = createProxmoxTagger();

export const labelEncodings: Benchmark = {
  id: 'P31',
  kind: 'real',
  what: 'labels to a backend and back ÷ the bare calls it takes',
  measurements: [
    rate({
      what: 'proxmox: description, tags ÷ stringify, 5 hashes',
      inputs: someMachines,
      check(labels) {
        const tags = Object.entries(labels).map(([key, value]) => hash('sha256', `${key}=${value}`).slice(0, 16));
        assert.deepEqual(proxmoxTags(labels), tags.map((tag) => `rungar-${tag}`).sort());
        assert.deepEqual(JSON.parse(toProxmoxDescription(labels, CREATED)).rungar.labels, labels);
      },
      ours: (labels) => [toProxmoxDescription(labels, CREATED), proxmoxTags(labels)],
      reference: (labels) => [
        JSON.stringify({ rungar: { labels, created: CREATED } }),
        Object.entries(labels).map(([key, value]) => hash('sha256', `${key}=${value}`)),
      ],
      target: 2.5,
      bar: 0.8,
    }),
    rate({
      what: 'gcp: labels, metadata ÷ stringify, hashes needed',
      inputs: someMachines,
      check(labels) {
        assert.deepEqual(JSON.parse(toGcpMetadata(labels)), labels);
        const values = Object.values(labels).map((value) =>
          /^[a-z0-9_-]*$/.test(value) ? value : `h-${hash('sha256', value).slice(0, 16)}`,
        );
        assert.deepEqual(Object.values(toGcpLabels(labels)), values);
      },
      ours: (labels) => [toGcpMetadata(labels), toGcpLabels(labels)],
      reference: (labels) => [
        JSON.stringify(labels),
        Object.values(labels).map((value) => (/^[a-z0-9_-]*$/.test(value) ? value : hash('sha256', value))),
      ],
      target: 1.5,
      bar: 0.6,
    }),
    rate({
      what: 'aws: tags to labels and back ÷ bare loops',
      inputs: (random) =>
        someMachines(random).map((labels) => [
          { Key: 'Name', Value: labels[LABEL.runner] ?? '' },
          ...toAwsTags(labels),
        ]),
      check: (tags) => assert.deepEqual(toAwsTags(parseAwsTags(tags)), tags.slice(1)),
      ours: (tags) => toAwsTags(parseAwsTags(tags)),
      reference(tags) {
        const labels: Record<string, string> = {};
        for (const tag of tags) if (tag.Key.startsWith('rungar.sh/')) labels[tag.Key] = tag.Value;
        const back: { Key: string; Value: string }[] = [];
        for (const key in labels) back.push({ Key: key, Value: labels[key] ?? '' });
        return back;
      },
      target: 0.7,
      bar: 0.4,
    }),
    rate({
      what: 'proxmox: decode ÷ JSON.parse',
      inputs: (random) => someMachines(random).map((labels) => toProxmoxDescription(labels, CREATED)),
      check: (text) =>
        assert.deepEqual(parseProxmoxDescription(text), { labels: JSON.parse(text).rungar.labels, created: CREATED }),
      ours: parseProxmoxDescription,
      reference: (text) => JSON.parse(text),
      target: 0.7,
      bar: 0.4,
    }),
    rate({
      what: 'gcp: decode ÷ JSON.parse',
      inputs: (random) => someMachines(random).map(toGcpMetadata),
      check: (text) => assert.deepEqual(parseGcpMetadata(text), JSON.parse(text)),
      ours: parseGcpMetadata,
      reference: (text) => JSON.parse(text),
      target: 0.7,
      bar: 0.4,
    }),
    rate({
      what: 'aws: JSON.parse and decode ÷ JSON.parse',
      inputs: (random) => someMachines(random).map((labels) => JSON.stringify(toAwsTags(labels))),
      check: (text) => assert.equal(Object.keys(parseAwsTags(JSON.parse(text))).length, 5),
      ours: (text) => parseAwsTags(JSON.parse(text)),
      reference: (text) => JSON.parse(text),
      target: 0.7,
      bar: 0.4,
    }),
    rate({
      what: 'dicer: JSON.parse and decode ÷ JSON.parse',
      inputs: (random) => someMachines(random).map((labels) => JSON.stringify(toDicerLabels(labels))),
      check: (text) => assert.deepEqual(parseDicerLabels(JSON.parse(text)), JSON.parse(text)),
      ours: (text) => parseDicerLabels(JSON.parse(text)),
      reference: (text) => JSON.parse(text),
      target: 0.7,
      bar: 0.4,
    }),
  ],
};

export const revision: Benchmark = {
  id: 'P32',
  kind: 'real',
  what: 'revision of a parsed runner block ÷ JSON.stringify and a hash',
  measurements: [
    rate({
      what: 'aws blocks with tags and a script',
      inputs: (random) => someSpecifications(random, 1_000),
      check({ ours, plain }) {
        assert.match(revisionOf(ours), /^[0-9a-f]{12}$/);
        assert.equal(revisionOf(ours), revisionOf({ ...ours, Tags: new Map(Object.entries(plain.Tags).toReversed()) }));
      },
      ours: ({ ours }) => revisionOf(ours),
      reference: ({ plain }) => hash('sha256', JSON.stringify(plain)).slice(0, 12),
      target: 0.6,
      bar: 0.4,
    }),
  ],
};
