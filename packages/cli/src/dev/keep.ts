import { type Clock, RungarError } from '@rungar/model';
import type { World } from '../command.js';
import { styleFor } from '../output/style.js';
import { startDaemonProcess } from './daemon-process.js';
import { SHORTENED_WORDS, startWorld } from './world.js';

/** Keeps an emulated world and a daemon running until the user ends it. Never returns: it rejects with the stop request. */
export async function keepWorld(world: World, clock: Clock, folder?: string): Promise<never> {
  const dev = await startWorld(clock, folder);
  try {
    const daemon = await startDaemonProcess(dev.paths, world, clock);
    try {
      world.stdout.write(directions({ ...dev.paths, page: daemon.page }, styleFor(world.stdout, world.env).bold));
      await Promise.race([daemon.ended, clock.sleep(Number.MAX_SAFE_INTEGER, world.signal)]);
      throw new RungarError('internal', 'the daemon has ended by itself', { hint: `its log is in ${dev.paths.log}` });
    } finally {
      await daemon.stop();
    }
  } finally {
    await dev.close({ keepFiles: !world.signal.aborted });
  }
}

/** What a user reads who starts a world: where its files are, and commands that can be pasted as they stand. */
export function directions(
  { config, socket, log, page }: { config: string; socket: string; log: string; page: string },
  bold: (text: string) => string,
): string {
  return [
    bold('A daemon serves an emulated GitHub with machines of four emulated backends.'),
    SHORTENED_WORDS,
    '',
    `  configuration  ${config}`,
    `  socket         ${socket}`,
    `  log            ${log}`,
    `  page           ${page}`,
    '',
    'In another terminal:',
    '',
    '  rungar dev queue --count 8',
    '  rungar dev queue --labels release',
    `  rungar status --socket ${shellWord(socket)}`,
    `  rungar events --follow --socket ${shellWord(socket)}`,
    '',
    'Ctrl-C ends it all.',
    '',
  ].join('\n');
}

/** A text as one word of a POSIX shell. */
function shellWord(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
