import { EventEmitter } from 'node:events';
import { describe, expect, test } from 'vitest';
import { onOutputErrors } from './output-errors.js';

function streams() {
  let told = '';
  const stdout = new EventEmitter();
  const stderr = Object.assign(new EventEmitter(), { write: (text: string) => (told += text) });
  const stop = new AbortController();
  const codes: number[] = [];
  onOutputErrors({ stdout, stderr }, stop, (code) => codes.push(code));
  return { stdout, stderr, stop, codes, told: () => told };
}

const failure = (code: string, message: string): Error => Object.assign(new Error(message), { code });
const FULL = failure('ENOSPC', 'ENOSPC: no space left on device, write');

describe('a stream that cannot be written to', () => {
  test.each(['stdout', 'stderr'] as const)('%s: a reader that has gone ends what runs, without a word', (name) => {
    const { [name]: stream, stop, codes, told } = streams();
    stream.emit('error', failure('EPIPE', 'write EPIPE'));
    expect(stop.signal.reason).toMatchObject({ name: 'StopRequest', exitCode: 0 });
    expect([codes, told()]).toEqual([[], '']);
  });

  test('a result that finds no room is told once, is exit 1, and ends what runs', () => {
    const { stdout, stop, codes, told } = streams();
    stdout.emit('error', FULL);
    stdout.emit('error', FULL);
    expect(codes).toEqual([1]);
    expect(told()).toBe(
      'Error: standard output cannot be written: ENOSPC: no space left on device, write. Write to another place.\n',
    );
    expect(stop.signal.aborted).toBe(true);
  });

  test('a log that finds no room ends nothing: a daemon goes on', () => {
    const { stderr, stop, codes, told } = streams();
    stderr.emit('error', FULL);
    expect([codes, told(), stop.signal.aborted]).toEqual([[], '', false]);
  });
});
