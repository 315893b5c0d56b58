import type { World } from '../command.js';
import type { PlanAnswer } from '../control/answers.js';
import { call } from '../control/call.js';
import { EXIT } from '../exit.js';
import { planLines } from '../output/plan.js';
import { planDocument } from '../output/plan-document.js';
import { styleFor } from '../output/style.js';

export interface PlanOptions {
  readonly socket: string;
  /** None for all. */
  readonly scaleSets: readonly string[];
  /** A configuration file to plan under. */
  readonly config?: string;
}

/**
 * Asks the daemon for its plan and shows it.
 * @throws ExitError 1 when the configuration file cannot be read, 2 when something in it is wrong
 */
export async function showPlan(
  { socket, scaleSets, config }: PlanOptions,
  as: 'text' | 'json',
  world: World,
): Promise<number> {
  const answer = await call<PlanAnswer>({
    socket,
    method: 'Plan',
    body: { scale_sets: scaleSets, ...(config !== undefined && (await textOf(config, world))) },
    signal: world.signal,
  });
  const { stdout, env } = world;
  if (as === 'json') stdout.write(`${JSON.stringify(planDocument(answer), null, 2)}\n`);
  else {
    const width = stdout.isTTY && stdout.columns !== undefined ? { width: stdout.columns } : {};
    stdout.write(`${planLines(answer, { style: styleFor(stdout, env), ...width }).join('\n')}\n`);
  }
  return EXIT.done;
}

/** The file's text, once it is known to be right: all of its mistakes are told here, and not only the first. */
async function textOf(path: string, world: World): Promise<{ config: string; config_file: string }> {
  const [{ readConfigText }, { readConfig }, { refusal, toExit }] = await Promise.all([
    import('@rungar/config'),
    import('../read-config.js'),
    import('../read-settings.js'),
  ]);
  await readConfig(path, world);
  const read = await readConfigText(path, { signal: world.signal }).catch(toExit);
  if ('text' in read) return { config: read.text, config_file: path };
  throw await refusal(path, [read.problem], world.stderr);
}
