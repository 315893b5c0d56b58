import { strict as assert } from 'node:assert';
import { createKeptEvents, type KeptEvent, type KeptEvents } from '@rungar/daemon';
import type { Random, RungarEvent } from '@rungar/model';
import type { Benchmark } from '../benchmark.js';
import { cost, rate } from '../rate.js';

const KEPT = 10_000;
const RUNNERS = 50;
const NEWEST = 100;

/** A full log of each kind: ours, and the slots of an array. */
interface Filled {
  readonly kept: KeptEvents;
  readonly slots: KeptEvent[];
  readonly entries: readonly KeptEvent[];
}

function someEntry(random: Random, time: number): KeptEvent {
  const event: RungarEvent = {
    time,
    kind: 'runner',
    action: 'created',
    name: `linux-${Math.floor(random.fraction() * RUNNERS)}`,
    scaleSet: 'linux',
    provider: 'host',
  };
  return { event, line: JSON.stringify(event) };
}

function filled(random: Random): Filled {
  const entries = Array.from({ length: KEPT }, (_, at) => someEntry(random, at));
  const kept = createKeptEvents(KEPT);
  for (const entry of entries) kept.add(entry);
  return { kept, slots: [...entries], entries };
}

/** The entries go round a second time: everything is full already. */
function addAll({ kept, entries }: Filled): KeptEvents {
  for (const entry of entries) kept.add(entry);
  return kept;
}

function storeAll({ slots, entries }: Filled): readonly KeptEvent[] {
  let next = 0;
  for (const entry of entries) {
    slots[next] = entry;
    next = next + 1 === KEPT ? 0 : next + 1;
  }
  return slots;
}

const RUNNER = 'linux-7';

function scanBack({ slots }: Filled): RungarEvent[] {
  const found: RungarEvent[] = [];
  for (let at = KEPT - 1; at >= 0 && found.length < NEWEST; at--) {
    const event = slots[at]?.event;
    if (event?.kind === 'runner' && event.name === RUNNER) found.push(event);
  }
  return found.reverse();
}

const readNewest = ({ kept }: Filled): RungarEvent[] => kept.select({ runner: RUNNER, limit: NEWEST });

export const keptEvents: Benchmark = {
  id: 'P35',
  kind: 'real',
  what: '10,000 kept events, and no room for more',
  measurements: [
    rate({
      what: 'add as many again ÷ slots of an array stored',
      inputs: (random) => [filled(random)],
      check(log) {
        addAll(log);
        assert.deepEqual(log.kept.snapshot(), log.entries);
      },
      ours: addAll,
      reference: storeAll,
      target: 0.5,
      bar: 0.2,
    }),
    cost({
      what: 'read the newest 100 of one runner ÷ a scan from the end',
      inputs: (random) => [filled(random)],
      check(log) {
        const newest = readNewest(log);
        assert.equal(newest.length, NEWEST);
        assert.deepEqual(newest, scanBack(log));
      },
      ours: readNewest,
      reference: scanBack,
      target: 1.5,
      bar: 3,
    }),
  ],
};
