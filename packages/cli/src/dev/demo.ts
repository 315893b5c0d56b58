import type { Clock } from '@rungar/model';
import type { World } from '../command.js';
import { EXIT } from '../exit.js';
import { type Style, styleFor } from '../output/style.js';
import { byBackend, type DemoRecord, proofs, timeline, waits } from './report.js';
import { Stage } from './stage.js';
import { type DevWorld, SHORTENED_WORDS, startWorld } from './world.js';

/**
 * The main job from end to end: a real daemon, killed and started again while it serves an emulated GitHub from four
 * emulated backends.
 * @returns the exit code: 0 when everything it claims held
 */
export async function runDemo(world: World, clock: Clock, folder?: string): Promise<number> {
  const style = styleFor(world.stdout, world.env);
  const dev = await startWorld(clock, folder);
  const stage = new Stage(dev, world, clock, style);
  let failed = true;
  try {
    world.stdout.write(introduction(dev, style));
    const record = await stage.play();
    failed = !tell(record, world, style);
    return failed ? EXIT.failed : EXIT.done;
  } finally {
    await stage.end();
    const keepFiles = failed && !world.signal.aborted;
    await dev.close({ keepFiles });
    if (keepFiles)
      world.stderr.write(`The files of this run, the daemon's log among them, are in ${dev.paths.folder}\n`);
  }
}

function introduction(dev: DevWorld, style: Style): string {
  return [
    `${style.bold('Rungar, end to end')}: a real daemon serves an emulated GitHub with machines of`,
    'four emulated backends. Nothing leaves this host.',
    SHORTENED_WORDS,
    '',
    ...places(dev),
    '',
    '',
  ].join('\n');
}

/** Where the parts of a world are. */
function places({ github, backends, paths }: DevWorld): string[] {
  return [
    ['GitHub', github.url],
    ...backends.map(({ title, address, room }) => [
      title,
      room === undefined ? address : `${address}, with room for ${room} runners`,
    ]),
    ['configuration', paths.config],
  ].map(([what = '', where = '']) => `  ${what.padEnd(15)} ${where}`);
}

/** Says how it went. @returns whether everything held */
function tell(record: DemoRecord, { stdout }: World, style: Style): boolean {
  const claims = proofs(record);
  const lines = [
    '',
    style.bold('Each job, in seconds after it was queued'),
    ...timeline(record),
    '',
    `From queued to started: ${waits(record)}`,
    '',
    style.bold('Each backend, by its own records'),
    ...byBackend(record),
    '',
    ...claims.map(({ holds, text }) => `${holds ? style.green('held  ') : style.red('BROKEN')}  ${text}`),
    '',
  ];
  stdout.write(`${lines.join('\n')}\n`);
  return claims.every(({ holds }) => holds);
}
