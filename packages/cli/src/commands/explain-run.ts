import type { Story, Subject } from '@rungar/reconciler';
import type { World } from '../command.js';
import type { ExplainAnswer } from '../control/answers.js';
import { call } from '../control/call.js';
import { EXIT, ExitError } from '../exit.js';
import { type StoryDocument, storyDocument, storyLines } from '../output/story.js';
import { styleFor } from '../output/style.js';

export interface ExplainOptions {
  readonly socket: string;
  readonly kind: Subject['kind'];
  readonly name: string;
  /** Of a job. */
  readonly labels: readonly string[];
  /** 0 for the usual number of entries. */
  readonly tail: number;
  /** An event file: then no daemon is asked. */
  readonly events?: string;
  /** A configuration whose event file is read when no daemon answers. */
  readonly config?: string;
}

/**
 * Tells one story, by the daemon or from an event file.
 * @throws RungarError `not_found` with the names there are
 */
export async function showStory(options: ExplainOptions, as: 'text' | 'json', world: World): Promise<number> {
  const story = await tell(options, world);
  const { stdout, env } = world;
  if (as === 'json') stdout.write(`${JSON.stringify(story, null, 2)}\n`);
  else {
    const width = stdout.isTTY && stdout.columns !== undefined ? { width: stdout.columns } : {};
    stdout.write(`${storyLines(story, { style: styleFor(stdout, env), ...width }).join('\n')}\n`);
  }
  return EXIT.done;
}

async function tell(options: ExplainOptions, world: World): Promise<StoryDocument> {
  const { events, config } = options;
  if (events !== undefined) return tellPast(events, options, world);
  try {
    return await askDaemon(options, world);
  } catch (error) {
    const nobody = error instanceof ExitError && error.exitCode === EXIT.noDaemon;
    if (!nobody || config === undefined) throw error;
    const { readConfig } = await import('../read-config.js');
    const { settings } = await readConfig(config, world);
    world.stderr.write(`No daemon answers; this is what ${settings.events.file} tells.\n`);
    return tellPast(settings.events.file, options, world);
  }
}

async function askDaemon({ socket, kind, name, labels, tail }: ExplainOptions, world: World): Promise<StoryDocument> {
  const body = { kind, name, labels, limit: tail };
  const answer = await call<ExplainAnswer>({ socket, method: 'Explain', body, signal: world.signal });
  return storyDocument(answer);
}

async function tellPast(path: string, options: ExplainOptions, world: World): Promise<StoryDocument> {
  const [{ readEvents }, { explain, jobSubject }, { toExit }] = await Promise.all([
    import('@rungar/daemon'),
    import('@rungar/reconciler'),
    import('../read-settings.js'),
  ]);
  const { kind, name, labels, tail } = options;
  const { events, unreadable } = await readEvents(path).catch(toExit);
  if (unreadable > 0) world.stderr.write(`Warning: ${path}: ${unreadable} of its lines are no events\n`);
  const subject = kind === 'job' ? jobSubject(name, labels) : { kind, name };
  return fromStory(explain(subject, { events, ...(tail > 0 && { limit: tail }) }));
}

function fromStory({ kind, name, now, entries, leftOut }: Story): StoryDocument {
  return {
    kind,
    name,
    now,
    entries: entries.map(({ time, ...entry }) => ({ time: new Date(time).toISOString(), ...entry })),
    left_out: leftOut,
  };
}
