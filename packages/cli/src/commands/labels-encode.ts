import {
  gcpLabelFilter,
  LABEL,
  type Labels,
  toAwsTags,
  toDicerLabels,
  toGcpLabels,
  toGcpMetadata,
  toProxmoxDescription,
  toProxmoxTags,
} from '@rungar/labels';
import type { BACKENDS } from './labels.js';

export type Backend = (typeof BACKENDS)[number];

/** Labels as a backend keeps them: for programs, and line by line for people. */
export interface Encoded {
  readonly document: Readonly<Record<string, unknown>>;
  readonly lines: readonly string[];
}

/** What a provider of `type` writes on a machine with these labels. */
export function encodeFor(type: Backend, labels: Labels, created: Date): Encoded {
  switch (type) {
    case 'aws':
      return forAws(labels);
    case 'dicer':
      return { document: {}, lines: pairs(toDicerLabels(labels)) };
    case 'gcp':
      return forGcp(labels);
    case 'proxmox':
      return forProxmox(labels, created);
  }
}

function forAws(labels: Labels): Encoded {
  const tags = [{ Key: 'Name', Value: labels[LABEL.runner] ?? '' }, ...toAwsTags(labels)];
  return { document: { tags }, lines: tags.map(({ Key, Value }) => `${Key}=${Value}`) };
}

function forGcp(labels: Labels): Encoded {
  const metadata = { 'rungar-labels': toGcpMetadata(labels) };
  const computeLabels = toGcpLabels(labels);
  const { [LABEL.runner]: _runner, [LABEL.revision]: _revision, ...selector } = labels;
  return {
    document: { metadata, compute_labels: computeLabels, filter: gcpLabelFilter(selector) },
    lines: ['Metadata:', ...pairs(metadata, '  '), 'Labels:', ...pairs(computeLabels, '  ')],
  };
}

function forProxmox(labels: Labels, created: Date): Encoded {
  const description = toProxmoxDescription(labels, created);
  const tags = toProxmoxTags(labels);
  return {
    document: { description, tags: tags.join(';') },
    lines: ['Description:', `  ${description}`, 'Tags:', ...tags.map((tag) => `  ${tag}`)],
  };
}

function pairs(map: Readonly<Record<string, string>>, indent = ''): string[] {
  return Object.entries(map).map(([key, value]) => `${indent}${key}=${value}`);
}
