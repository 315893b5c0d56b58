import { afterEach, expect, test, vi } from 'vitest';
import { main as chaos } from '../chaos/main.js';
import { main as soak } from '../soak/main.js';
import { main as simulation } from './main.js';

afterEach(() => {
  vi.restoreAllMocks();
});

test.each([
  ['the soak', soak, ['--days', 'x'], '--days takes a number above 0, not "x"'],
  ['the soak', soak, ['--hours', '0'], '--hours takes a number above 0, not "0"'],
  ['the soak', soak, ['--seed', ''], '--seed takes a whole number, not ""'],
  ['the soak', soak, ['--jobs', '-1'], "Option '--jobs' argument is ambiguous"],
  ['the soak', soak, ['--json', '/no/such/folder/x.json'], '--json takes a file in a folder that exists'],
  ['the soak', soak, ['--svg', '/tmp'], '--svg takes a file, and "/tmp" is a folder'],
  ['the soak', soak, ['--bogus'], "Unknown option '--bogus'"],
  ['the simulation', simulation, ['--seed', 'x'], '--seed takes a whole number, not "x"'],
  ['the simulation', simulation, ['--seeds', '0'], '--seeds takes a whole number above 0, not "0"'],
  ['the simulation', simulation, ['--jobs', '1e400'], '--jobs takes a whole number above 0, not "1e400"'],
  ['the simulation', simulation, ['--minutes', 'x'], '--minutes takes a number above 0, not "x"'],
  ['the simulation', simulation, ['--size', 'huge'], '--size takes small or large, not "huge"'],
  ['the simulation', simulation, ['more'], "Unexpected argument 'more'"],
  ['the chaos driver', chaos, ['--seed', 'x'], '--seed takes a whole number, not "x"'],
  ['the chaos driver', chaos, ['--runs', '1.5'], '--runs takes a whole number above 0, not "1.5"'],
  ['the chaos driver', chaos, ['--minutes', 'x'], '--minutes takes a number above 0, not "x"'],
  ['the chaos driver', chaos, ['--speed', '0'], '--speed takes a number above 0, not "0"'],
])('%s ends with a sentence and 2 for wrong arguments: %#', async (_program, main, args, sentence) => {
  const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  expect(await main(args)).toBe(2);
  const said = written.mock.calls.map(([text]) => String(text)).join('');
  expect(said).toContain(`Error: ${sentence}`);
  expect(said.match(/\n/g)).toHaveLength(1);
});

test('a hunt for a deliberate fault that there is not is refused', async () => {
  const { wrongPart } = (await import(new URL('./hunt.mjs', import.meta.url).href)) as {
    wrongPart(mutants: readonly { name: string }[], args: readonly string[]): string | undefined;
  };
  const mutants = [{ name: 'forgets the lead', patches: [] }];
  expect(wrongPart(mutants, ['--mutants', 'lead'])).toBeUndefined();
  expect(wrongPart(mutants, ['--mutants', 'nothing'])).toBe('no fault has "nothing" in its name');
  expect(wrongPart(mutants, ['--mutants', '--seed', '1'])).toContain('"--seed"');
});
