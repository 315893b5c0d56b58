/** What a coordination branch is for. */
export type BranchKind = 'probe' | 'build' | 'publish' | 'prepare' | 'run' | 'snapshot' | 'relay';

/** One branch of a mailbox through which a run and a node speak. */
export interface Branch {
  /** Its name after `refs/heads/`. */
  readonly name: string;
  readonly node: string;
  /** The day it was made, in days since 1970-01-01 (UTC). */
  readonly day: number;
  readonly kind: BranchKind;
  /** The commit at its tip, in hex. */
  readonly oid: string;
}

export interface ParsedRefs {
  readonly branches: readonly Branch[];
  /** How many lines name no coordination branch. */
  readonly foreign: number;
}

/** The most branches that are looked at. */
export const MOST_BRANCHES = 100_000;

const HEADS = 'refs/heads/';
const PREFIX = 'dispat-worker-';
const HEX_DIGITS = 32;
const DATE_DIGITS = 8;
const HYPHEN = 45;
const DOT = 46;
const TAB = 9;

const KINDS: ReadonlyMap<string, BranchKind> = new Map(
  (['probe', 'build', 'publish', 'prepare', 'run', 'snapshot', 'relay'] as const).map((kind) => [kind, kind]),
);

/**
 * Reads what `git ls-remote` prints: an object id, a tab and a ref on each line. A branch is
 * `dispat-worker-<node>-<YYYYMMDD>-<kind>-<32 hex digits>`; a node's name may have hyphens, so it is read from the
 * right.
 */
export function parseRefs(text: string): ParsedRefs {
  const branches: Branch[] = [];
  const days = new Map<string, number | undefined>();
  let foreign = 0;
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start);
    let end = newline === -1 ? text.length : newline;
    const next = end + 1;
    if (end > start && text.charCodeAt(end - 1) === 13) end--;
    if (end > start) {
      const branch = branchOf(text, start, end, days);
      if (branch === undefined) foreign++;
      else branches.push(branch);
    }
    start = next;
  }
  return { branches, foreign };
}

function branchOf(text: string, start: number, end: number, days: Map<string, number | undefined>): Branch | undefined {
  const tab = oidEnd(text, start, end);
  const nameAt = tab + 1 + HEADS.length;
  const nodeAt = nameAt + PREFIX.length;
  if (tab === -1 || !text.startsWith(HEADS, tab + 1) || !text.startsWith(PREFIX, nameAt)) return undefined;

  const hexAt = end - HEX_DIGITS;
  if (hexAt - 1 <= nodeAt || text.charCodeAt(hexAt - 1) !== HYPHEN || !isHex(text, hexAt, end)) return undefined;
  const beforeKind = text.lastIndexOf('-', hexAt - 2);
  const kind = KINDS.get(text.slice(beforeKind + 1, hexAt - 1));
  const dateAt = beforeKind - DATE_DIGITS;
  if (kind === undefined || dateAt - 1 <= nodeAt || text.charCodeAt(dateAt - 1) !== HYPHEN) return undefined;
  if (!isNodeName(text, nodeAt, dateAt - 1)) return undefined;

  const date = text.slice(dateAt, beforeKind);
  let day = days.get(date);
  if (day === undefined && !days.has(date)) {
    day = dayOf(date);
    days.set(date, day);
  }
  if (day === undefined) return undefined;
  return {
    name: text.slice(nameAt, end),
    node: text.slice(nodeAt, dateAt - 1),
    day,
    kind,
    oid: text.slice(start, tab),
  };
}

/** Where the tab after 40 or 64 hex digits is. */
function oidEnd(text: string, start: number, end: number): number {
  for (const digits of [40, 64]) {
    const tab = start + digits;
    if (tab < end && text.charCodeAt(tab) === TAB) return isHex(text, start, tab) ? tab : -1;
  }
  return -1;
}

function isHex(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at);
    if (!((code >= 48 && code <= 57) || (code >= 97 && code <= 102))) return false;
  }
  return true;
}

/** Letters, digits, dot, underscore and hyphen, and no two dots in a row. */
function isNodeName(text: string, start: number, end: number): boolean {
  let before = 0;
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at);
    const isLetter = (code >= 97 && code <= 122) || (code >= 65 && code <= 90);
    const isOther = (code >= 48 && code <= 57) || code === HYPHEN || code === DOT || code === 95;
    if (!isLetter && !isOther) return false;
    if (code === DOT && before === DOT) return false;
    before = code;
  }
  return end > start;
}

const DAY_MS = 86_400_000;

/** Days since 1970-01-01 of `YYYYMMDD`; nothing for a day the calendar does not have. */
function dayOf(date: string): number | undefined {
  if (!/^[0-9]{8}$/.test(date)) return undefined;
  const [year, month, day] = [Number(date.slice(0, 4)), Number(date.slice(4, 6)), Number(date.slice(6))];
  const ms = Date.UTC(year, month - 1, day);
  const back = new Date(ms);
  if (back.getUTCFullYear() !== year || back.getUTCMonth() !== month - 1 || back.getUTCDate() !== day) return undefined;
  return ms / DAY_MS;
}

/** The day an instant falls on, as {@link Branch.day} counts. */
export function dayAt(epochMs: number): number {
  return Math.floor(epochMs / DAY_MS);
}
