import { open } from 'node:fs/promises';
import { messageOf } from '@rungar/model';
import { readRecordLine, replayRecord } from '@rungar/reconciler';
import type { World } from '../command.js';
import { EXIT, ExitError } from '../exit.js';
import { type DecisionDifference, type ReplayDocument, replayLines } from '../output/replay.js';
import { styleFor } from '../output/style.js';

/**
 * Runs a recording through the present decision code and shows what came out otherwise.
 * @returns 0 when everything is decided as it was, 6 when something is not
 * @throws ExitError 1 when the file cannot be read, or holds no decision at all
 */
export async function replay(path: string, as: 'text' | 'json', world: World): Promise<number> {
  const report = await compare(path, world);
  const { decisions, damaged } = report;
  if (decisions === 0) {
    const [first] = damaged;
    const why = first === undefined ? '' : ` (line ${first.line}: ${first.why})`;
    throw new ExitError(EXIT.failed, `${path} holds no recorded decision${why}`, 'record some with `serve --record`');
  }
  const { stdout, env } = world;
  if (as === 'json') stdout.write(`${JSON.stringify(report, null, 2)}\n`);
  else stdout.write(`${replayLines(path, report, styleFor(stdout, env)).join('\n')}\n`);
  return report.differences.length > 0 ? EXIT.partly : EXIT.done;
}

/** Line by line, so that a recording of any size takes the memory of its longest line. */
async function compare(path: string, world: World): Promise<ReplayDocument> {
  const differences: DecisionDifference[] = [];
  const damaged: { line: number; why: string }[] = [];
  const counts = { decisions: 0, passes: 0, scalings: 0, left_out: 0 };
  let line = 0;
  for await (const text of linesOf(path)) {
    world.signal.throwIfAborted();
    line++;
    if (text === '') continue;
    const read = readRecordLine(text);
    if (read.kind === 'gap') counts.left_out += read.left;
    else if (read.kind === 'damaged') damaged.push({ line, why: read.why });
    else {
      try {
        const { record } = read;
        const found = replayRecord(record);
        counts.decisions++;
        counts[record.kind === 'pass' ? 'passes' : 'scalings']++;
        if (found.length > 0) {
          const time = new Date(record.at).toISOString();
          differences.push({ line, kind: record.kind, scale_set: record.scaleSet, time, differences: found });
        }
      } catch (error) {
        damaged.push({ line, why: `it lacks what a decision needs: ${messageOf(error)}` });
      }
    }
  }
  return { ...counts, damaged, differences };
}

async function* linesOf(path: string): AsyncGenerator<string> {
  try {
    const file = await open(path, 'r');
    yield* file.readLines();
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error;
    throw new ExitError(
      EXIT.failed,
      `cannot read ${path}: ${messageOf(error)}`,
      'name what `serve --record` has written',
    );
  }
}
