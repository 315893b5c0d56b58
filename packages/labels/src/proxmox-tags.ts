import type { Labels } from '@rungar/model';
import { labelsJson } from './canonical-json.js';
import { InvalidArgument, requireText } from './invalid-argument.js';
import { isLabels, LABEL, textOf } from './keys.js';
import { sha256Hex } from './sha256.js';
import { lowerCase, sortUtf8, trimWhiteSpace } from './text.js';

const INSTANT = /^\d{4}-\d\d-\d\dT([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** What the description of a VM of Rungar's says. */
export interface ProxmoxDescription {
  readonly labels: Labels;
  /** When the VM was created, where it says. */
  readonly created?: Date;
}

/**
 * The tag that stands for one label: `rungar-` and 16 hex digits of a hash of it.
 * @throws an error of code `invalid_argument` when either is not text
 */
export function proxmoxTag(key: string, value: string): string {
  requireText(key, 'a label key');
  requireText(value, 'a label value');
  return `rungar-${sha256Hex(`${key}=${value}`, 16)}`;
}

/** The tags of a VM with these labels, sorted. They narrow a listing; the description decides. */
export function toProxmoxTags(labels: Labels): string[] {
  return Object.keys(labels)
    .map((key) => proxmoxTag(key, textOf(labels, key)))
    .sort();
}

/** How many tags a {@link createProxmoxTagger} remembers before it forgets them all. */
const REMEMBERED_TAGS = 4096;

/**
 * Makes a {@link toProxmoxTags} of one's own that remembers tags: of a machine's five labels, four are those of its
 * neighbours. For programs that write many; what it holds is bounded.
 */
export function createProxmoxTagger(): (labels: Labels) => string[] {
  const remembered = new Map<string, string>();
  const tagOf = (key: string, value: string): string => {
    // A runner's name comes once.
    if (key === LABEL.runner) return proxmoxTag(key, value);
    const label = `${key}=${value}`;
    let tag = remembered.get(label);
    if (tag === undefined) {
      tag = proxmoxTag(key, value);
      if (remembered.size >= REMEMBERED_TAGS) remembered.clear();
      remembered.set(label, tag);
    }
    return tag;
  };
  return (labels) =>
    Object.keys(labels)
      .map((key) => tagOf(key, textOf(labels, key)))
      .sort();
}

/**
 * The tags of a VM as Proxmox VE lists them, whatever separates them (`;`, `,` or a space): in lower case, sorted,
 * each once.
 */
export function parseProxmoxTags(text: string | undefined): string[] {
  if (typeof text !== 'string') return [];
  const tags = lowerCase(text).split(/[;, ]+/);
  return sortUtf8([...new Set(tags)].filter((tag) => tag !== ''));
}

/**
 * The description of a VM: its labels exactly, and when it was created, as JSON.
 * @param created cut to the second
 * @throws an error of code `invalid_argument` when `created` is no instant of the years 0 to 9999
 */
export function toProxmoxDescription(labels: Labels, created: Date): string {
  return `{"rungar":{"labels":${labelsJson(labels)},"created":"${toSeconds(created)}"}}`;
}

/**
 * What a VM's description says; nothing when it is not the JSON {@link toProxmoxDescription} writes, and the VM thus
 * not Rungar's. White space around it and members it does not know do not matter, and `created` may be missing.
 */
export function parseProxmoxDescription(text: string | undefined): ProxmoxDescription | undefined {
  if (typeof text !== 'string') return undefined;
  let value: { rungar?: { labels?: unknown; created?: unknown } | null } | null;
  try {
    value = JSON.parse(trimWhiteSpace(text));
  } catch {
    return undefined;
  }
  const labels = value?.rungar?.labels;
  if (!isLabels(labels)) return undefined;
  const at = value?.rungar?.created;
  if (at === undefined || at === null) return { labels };
  const created = parseInstant(at);
  return created && { labels, created };
}

function toSeconds(instant: Date): string {
  const text = instant instanceof Date && !Number.isNaN(instant.getTime()) ? instant.toISOString() : '';
  if (text.length !== 24) throw new InvalidArgument('a VM must have been created at an instant of the years 0 to 9999');
  return `${text.slice(0, 19)}Z`;
}

/** An RFC 3339 instant. `Date` alone would read 30 February as 2 March, and take many other forms. */
function parseInstant(value: unknown): Date | undefined {
  if (typeof value !== 'string' || !INSTANT.test(value)) return undefined;
  const day = Number(value.slice(8, 10));
  if (day > 28 && new Date(`${value.slice(0, 10)}T00:00:00Z`).getUTCDate() !== day) return undefined;
  const instant = new Date(value);
  return Number.isNaN(instant.getTime()) ? undefined : instant;
}
