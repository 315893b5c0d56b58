import { nodeNameFault } from '../pool.js';
import { areEqual, areHex } from './words.js';

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

/** The coordination branches of a mailbox. */
export interface ParsedRefs {
  readonly branches: readonly Branch[];
  /** How many lines name no coordination branch. */
  readonly foreign: number;
}

/** The most branches that are looked at. */
export const MOST_BRANCHES = 100_000;

const REF = /^refs\/heads\/dispat-worker-(.+)-([0-9]{8})-(probe|build|publish|prepare|run|snapshot|relay)-$/;
const HEADS_LENGTH = 'refs/heads/'.length;
const HEX_DIGITS = 32;
const SHA1_DIGITS = 40;
const SHA256_DIGITS = 64;
const TAB = 9;
const NEWLINE = 10;
const RETURN = 13;

/**
 * Reads what `git ls-remote` prints: an object id, a tab and a ref on each line. A branch is
 * `dispat-worker-<node>-<YYYYMMDD>-<kind>-<32 hex digits>`; a node's name may have hyphens, so it is read from the
 * right.
 */
export function parseRefs(output: string | Buffer): ParsedRefs {
  return new RefReader(typeof output === 'string' ? Buffer.from(output) : output).read();
}

/** Names and object ids are cut out when they are asked for: a mailbox has thousands of branches. */
class ListedBranch implements Branch {
  constructor(
    private readonly bytes: Buffer,
    private readonly start: number,
    private readonly tab: number,
    private readonly end: number,
    readonly node: string,
    readonly day: number,
    readonly kind: BranchKind,
  ) {}

  get name(): string {
    return this.bytes.toString('latin1', this.tab + 1 + HEADS_LENGTH, this.end);
  }

  get oid(): string {
    return this.bytes.toString('latin1', this.start, this.tab);
  }
}

/** What a ref says before its hex digits: all but its number. */
interface Head {
  /** Where it was read. */
  readonly start: number;
  readonly length: number;
  readonly node: string;
  readonly day: number;
  readonly kind: BranchKind;
}

class RefReader {
  readonly #bytes: Buffer;
  readonly #words: DataView;
  readonly #days = new Map<string, number | undefined>();

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.#words = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  read(): ParsedRefs {
    const bytes = this.#bytes;
    const branches: Branch[] = [];
    let foreign = 0;
    let head: Head | undefined;
    for (let start = 0; start < bytes.length; ) {
      // git sorts its list: most refs share all but their hex digits with the one before.
      const length = head === undefined ? 0 : SHA1_DIGITS + 1 + head.length + HEX_DIGITS;
      if (head !== undefined && this.#repeats(head, start, length)) {
        branches.push(this.#branchOf(head, start, start + SHA1_DIGITS, start + length));
        start += length + 1;
        continue;
      }
      const newline = bytes.indexOf(NEWLINE, start);
      const lineEnd = newline === -1 ? bytes.length : newline;
      const end = bytes[lineEnd - 1] === RETURN ? lineEnd - 1 : lineEnd;
      const tab = bytes[start + SHA1_DIGITS] === TAB ? start + SHA1_DIGITS : start + SHA256_DIGITS;
      const found = end > start ? this.#headIn(start, tab, end) : undefined;
      if (found !== undefined) {
        head = found;
        branches.push(this.#branchOf(head, start, tab, end));
      } else if (end > start) foreign++;
      start = lineEnd + 1;
    }
    return { branches, foreign };
  }

  /** Whether a line of `length` bytes stands at `start` that differs from the head's in nothing but hex digits. */
  #repeats({ start: from, length: headLength }: Head, start: number, length: number): boolean {
    const bytes = this.#bytes;
    const end = start + length;
    if (end > bytes.length || (end < bytes.length && bytes[end] !== NEWLINE)) return false;
    const headAt = start + SHA1_DIGITS + 1;
    if (bytes[headAt - 1] !== TAB) return false;
    return (
      areEqual(this.#words, from, headAt, headLength) &&
      areHex(this.#words, start, start + SHA1_DIGITS) &&
      areHex(this.#words, end - HEX_DIGITS, end)
    );
  }

  #headIn(start: number, tab: number, end: number): Head | undefined {
    const bytes = this.#bytes;
    const hexAt = end - HEX_DIGITS;
    if (hexAt <= tab || bytes[tab] !== TAB || !areHex(this.#words, start, tab) || !areHex(this.#words, hexAt, end))
      return undefined;
    const [, node = '', date = '', word] = REF.exec(bytes.toString('latin1', tab + 1, hexAt)) ?? [];
    const day = this.#dayOf(date);
    if (word === undefined || day === undefined || nodeNameFault(node) !== undefined) return undefined;
    return { start: tab + 1, length: hexAt - tab - 1, node, day, kind: word as BranchKind };
  }

  #branchOf({ node, day, kind }: Head, start: number, tab: number, end: number): Branch {
    return new ListedBranch(this.#bytes, start, tab, end, node, day, kind);
  }

  #dayOf(date: string): number | undefined {
    if (!this.#days.has(date)) this.#days.set(date, dayOf(date));
    return this.#days.get(date);
  }
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
