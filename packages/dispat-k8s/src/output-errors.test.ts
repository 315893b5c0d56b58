import { EventEmitter } from 'node:events';
import { describe, expect, test } from 'vitest';
import { exitCodeFor } from './exit.js';
import { onOutputErrors } from './output-errors.js';

function streams() {
  let told = '';
  const stdout = Object.assign(new EventEmitter(), { write: () => true });
  const stderr = Object.assign(new EventEmitter(), { write: (text: string) => (told += text) });
  const stop = new AbortController();
  const codes: number[] = [];
  onOutputErrors({ stdout, stderr }, stop, (code) => codes.push(code));
  return { stdout, stderr, stop, codes, told: () => told };
}
const failure = (code: string, message: string): Error => Object.assign(new Error(message), { code });

describe('a stream that cannot be written to', () => {
  test.each(['stdout', 'stderr'] as const)(
    '%s: a reader that has gone stops the command, and decides no exit code',
    (name) => {
      const { [name]: stream, stop, codes, told } = streams();
      stream.emit('error', failure('EPIPE', 'write EPIPE'));
      expect(stop.signal.aborted).toBe(true);
      expect(exitCodeFor(stop.signal.reason)).toBe(141);
      expect(codes).toEqual([]);
      expect(told()).toBe('');
    },
  );

  test('a full disk is told, and is exit 5', () => {
    const { stdout, stop, codes, told } = streams();
    stdout.emit('error', failure('ENOSPC', 'ENOSPC: no space left on device, write'));
    expect(codes).toEqual([5]);
    expect(told()).toMatch(
      /^Error: OUTPUT_NOT_WRITABLE standard output: found ENOSPC: no space left on device, write; /,
    );
    expect(stop.signal.aborted).toBe(false);
  });

  test('nothing is told where it cannot be', () => {
    const { stderr, codes, told } = streams();
    stderr.emit('error', failure('ENOSPC', 'ENOSPC: no space left on device, write'));
    expect(codes).toEqual([5]);
    expect(told()).toBe('');
  });
});
