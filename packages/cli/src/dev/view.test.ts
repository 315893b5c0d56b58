import { fakeClock } from '@rungar/model/testing';
import { expect, test } from 'vitest';
import { styleFor } from '../output/style.js';
import { liveView, plainView } from './view.js';

const plain = styleFor({ write: () => true }, {});

test('in a pipe each thing is a line, and each part begins after a blank one', async () => {
  const clock = fakeClock();
  let text = '';
  const view = plainView({ write: (part) => (text += part) }, plain, clock);
  view.heading('starting the daemon');
  await clock.advance(2_340);
  view.note('daemon', 'linux-small-2bf46b10', 'machine created');
  await clock.advance(10_000);
  view.heading('killed the daemon');
  view.note('GitHub', 'linux-large-00000001', 'runs release 9');
  await view.close();
  expect(text).toBe(`  0.0s  starting the daemon
  2.3s  daemon  linux-small-2bf46b10  machine created

 12.3s  killed the daemon
 12.3s  GitHub  linux-large-00000001  runs release 9
`);
});

/** A terminal that keeps what was written to it. */
function terminal(size: { columns: number; rows: number }) {
  const written: string[] = [];
  const output = { isTTY: true, ...size, write: (part: string) => written.push(part) };
  return { written, output: output as unknown as NodeJS.WriteStream };
}

test('on a terminal the picture is never taller or wider than the screen', async () => {
  const clock = fakeClock();
  const { written, output } = terminal({ columns: 40, rows: 10 });
  const picture = Array.from({ length: 30 }, (_, at) => `row ${at} ${'x'.repeat(60)}`);
  const view = await liveView(output, plain, clock, () => picture);
  view.heading('something long is said here, longer than forty columns');
  await clock.advance(500);
  await view.close();
  const lines = written.join('').split('\n');
  expect(lines.some((line) => line.startsWith('row 5'))).toBe(true);
  expect(lines.some((line) => line.includes('row 29'))).toBe(false);
  expect(lines.filter((line) => line.includes('xxx')).every((line) => line.endsWith('…'))).toBe(true);
});

test('on a terminal nothing is drawn again while nothing changes', async () => {
  const clock = fakeClock();
  const { written, output } = terminal({ columns: 80, rows: 24 });
  const view = await liveView(output, plain, clock, () => ['a picture']);
  await clock.advance(100);
  const before = written.length;
  await clock.advance(600);
  expect(written.length).toBe(before);
  view.note('daemon', 'linux-small-2bf46b10', 'machine created');
  await clock.advance(100);
  expect(written.slice(before).join('')).toContain('machine created');
  await view.close();
});
