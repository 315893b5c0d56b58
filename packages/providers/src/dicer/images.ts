import { type PullImageProgress, PullStage } from '@rungar/dicer-api';
import type { Clock, Logger } from '@rungar/model';
import { askTogether } from '../shared/ask-together.js';
import type { OpenCalls } from '../shared/open-calls.js';
import { waitFor } from '../shared/within-limit.js';
import type { Dicer } from './client.js';
import { DicerError, toRungarError } from './errors.js';

/** Makes sure that the host has an image. */
export interface Images {
  /**
   * Returns when the host has the image, pulling it if it must.
   * @throws RungarError naming the image; the signal's reason when it aborts, and then the pull goes on: whoever asks
   * next finds it further along
   */
  provide(ref: string, signal: AbortSignal): Promise<void>;
}

export interface ImagesOptions {
  readonly dicer: Dicer;
  readonly calls: OpenCalls;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Longer than any pull that still gets somewhere. */
const PULL_LIMIT_MS = 3_600_000;

/** Images are looked up and pulled once at a time each, however many machines wait for them. */
export function createImages({ dicer, calls, clock, logger }: ImagesOptions): Images {
  const pull = async (ref: string, signal: AbortSignal): Promise<void> => {
    const begunAt = clock.now();
    logger.info('pulling an image', { image: ref });
    await dicer.pullImage(ref, PULL_LIMIT_MS, progressTo(logger.with({ image: ref })), signal);
    logger.info('pulled an image', { image: ref, durationMs: clock.now() - begunAt });
  };

  const provide = askTogether((ref) =>
    calls.run(undefined, async (signal) => {
      if (!(await isThere(dicer, ref, signal))) {
        await pull(ref, signal).catch((error: unknown) => {
          throw named(error, `pulling image ${ref}`);
        });
      }
    }),
  );

  return { provide: (ref, signal) => waitFor(provide(ref), signal) };
}

async function isThere(dicer: Dicer, ref: string, signal: AbortSignal): Promise<boolean> {
  try {
    await dicer.getImage(ref, signal);
    return true;
  } catch (error) {
    if (error instanceof DicerError && error.refusal === 'absent') return false;
    throw named(error, `looking up image ${ref}`);
  }
}

function named(error: unknown, what: string): unknown {
  return error instanceof DicerError ? toRungarError(error, what) : error;
}

/** Tells every stage of a pull, and a download in quarters. */
function progressTo(logger: Logger): (at: PullImageProgress) => void {
  let told = '';
  return ({ stage, downloadedBytes, totalBytes }) => {
    const name = (PullStage[stage] ?? `stage ${stage}`).toLowerCase();
    const quarters = totalBytes > 0n ? Number((downloadedBytes * 4n) / totalBytes) : undefined;
    const step = `${name} ${quarters ?? ''}`;
    if (step === told) return;
    told = step;
    logger.info('image is being pulled', { stage: name, ...(quarters !== undefined && { percent: quarters * 25 }) });
  };
}
