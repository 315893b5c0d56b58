import { create } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { Code } from '@connectrpc/connect';
import {
  type Image,
  ImageSchema,
  type PullImageProgress,
  PullImageProgressSchema,
  PullPolicy,
  PullStage,
} from '@rungar/dicer-api';
import type { EmulatorClock } from '../clock.js';
import { type EmulatorRandom, randomHex } from '../random.js';
import { refused } from './refusals.js';

/** An image that can be pulled. */
export interface RegistryImage {
  readonly ref: string;
  readonly sizeBytes: bigint;
  /** The command that starts a runner in it. */
  readonly runnerCommand: string;
}

const MIB = 1024n ** 2n;

/** The image an emulated registry holds, unless it is given others. */
export const RUNNER_IMAGE: RegistryImage = {
  ref: 'ghcr.io/actions/actions-runner:latest',
  sizeBytes: 600n * MIB,
  runnerCommand: '/home/runner/run.sh',
};

export interface ImagesOptions {
  readonly clock: EmulatorClock;
  readonly random: EmulatorRandom;
  readonly registry: readonly RegistryImage[];
  /** The references that are on the host from the start. */
  readonly present: readonly string[];
  /** How long a pull takes, in milliseconds. */
  readonly pullMs: number;
}

/** In how many steps a download tells how far it is. */
const DOWNLOAD_STEPS = 4n;

/** The images of the host and the registry they come from. */
export class Images {
  readonly #options: ImagesOptions;
  readonly #images = new Map<string, Image>();
  #isRegistryUp = true;

  constructor(options: ImagesOptions) {
    this.#options = options;
    for (const ref of options.present) this.#store(this.#published(ref));
  }

  get all(): readonly Image[] {
    return [...this.#images.values()];
  }

  /** Whether the registry can be reached. */
  setRegistry(isUp: boolean): void {
    this.#isRegistryUp = isUp;
  }

  /** Somebody deletes an image from the host. */
  remove(ref: string): void {
    this.#images.delete(ref);
  }

  /** @throws ConnectError `NOT_FOUND` */
  get(ref: string): Image {
    const image = this.#images.get(ref);
    if (image === undefined) throw refused(Code.NotFound, `image ${ref} not found`);
    return image;
  }

  /** The command that starts a runner in an image of the registry. */
  runnerCommandOf(ref: string): string | undefined {
    return this.#options.registry.find((image) => image.ref === ref)?.runnerCommand;
  }

  /** Has the image at hand, or pulls it, as the policy says. */
  async provide(ref: string, policy: PullPolicy): Promise<void> {
    if (policy === PullPolicy.NEVER) this.get(ref);
    else if (policy === PullPolicy.ALWAYS || !this.#images.has(ref)) for await (const _ of this.pull(ref));
  }

  /** Pulls an image, whether it is there already or not. */
  async *pull(ref: string): AsyncGenerator<PullImageProgress> {
    const stepMs = this.#options.pullMs / Number(DOWNLOAD_STEPS + 3n);
    yield create(PullImageProgressSchema, { stage: PullStage.RESOLVING });
    await this.#pass(stepMs);
    const image = this.#published(ref);
    for (let step = 0n; step < DOWNLOAD_STEPS; step++) {
      const downloadedBytes = (image.sizeBytes * step) / DOWNLOAD_STEPS;
      yield create(PullImageProgressSchema, {
        stage: PullStage.DOWNLOADING,
        downloadedBytes,
        totalBytes: image.sizeBytes,
      });
      await this.#pass(stepMs);
    }
    for (const stage of [PullStage.UNPACKING, PullStage.CONVERTING]) {
      yield create(PullImageProgressSchema, { stage });
      await this.#pass(stepMs);
    }
    yield create(PullImageProgressSchema, { stage: PullStage.CONVERTING, image: this.#store(image) });
  }

  #published(ref: string): RegistryImage {
    if (!this.#isRegistryUp) throw refused(Code.Unavailable, `registry of ${ref}: connection refused`);
    const image = this.#options.registry.find((one) => one.ref === ref);
    if (image === undefined) throw refused(Code.NotFound, `image ${ref} not found in its registry`);
    return image;
  }

  #store({ ref, sizeBytes }: RegistryImage): Image {
    const now = timestampFromMs(this.#options.clock.now());
    const digest = `sha256:${randomHex(this.#options.random, 32)}`;
    const image = create(ImageSchema, { name: ref, digest, sizeBytes, createTime: now, updateTime: now });
    this.#images.set(ref, image);
    return image;
  }

  async #pass(ms: number): Promise<void> {
    if (ms > 0) await new Promise<void>((resolve) => void this.#options.clock.after(ms, resolve));
  }
}
