import { RungarError } from '@rungar/model';
import type { Tip, TipState } from '../src/demand/classify.js';
import type { Mailbox } from '../src/demand/mailbox.js';
import { type Branch, type ParsedRefs, parseRefs } from '../src/demand/parse-refs.js';

/** A mailbox in memory. */
export class FakeMailbox implements Mailbox {
  /** By branch name: what its tip says. */
  readonly content = new Map<string, TipState>();
  /** How many of the next listings fail. */
  failures = 0;
  listings = 0;

  async branches(): Promise<ParsedRefs> {
    this.listings++;
    if (this.failures > 0) {
      this.failures--;
      throw new RungarError('unavailable', 'git ls-remote took more than 30 s');
    }
    return parseRefs([...this.content.keys()].map((name) => `${'a'.repeat(40)}\trefs/heads/${name}\n`).join(''));
  }

  async tips(branches: readonly Branch[]): Promise<ReadonlyMap<string, Tip>> {
    return new Map(branches.map(({ name }) => [name, { state: this.content.get(name) ?? 'unknown' }]));
  }
}
