import { Agent, request } from 'node:http';
import type { JitConfig } from './jit-config.js';

/** A job as the runner is told of it. */
export interface RunnerJob {
  readonly jobId: string;
  /** How long the job takes. */
  readonly seconds: number;
  /** Whether it ends badly. */
  readonly fail: boolean;
}

/** How a job ended. */
export type JobResult = 'succeeded' | 'failed' | 'canceled';

/** GitHub does not know this runner, or not any more. */
export class RegistrationGone extends Error {
  override readonly name = 'RegistrationGone';
}

/** GitHub gives no work to this runner, and says why. */
export class RunnerRefused extends Error {
  override readonly name = 'RunnerRefused';
}

interface Reply {
  readonly status: number;
  readonly body: string;
}

/** The runner's side of the emulated GitHub's runner endpoints. Every call may reject with a connection's error. */
export class RunnerClient {
  readonly #config: JitConfig;
  readonly #agent = new Agent({ keepAlive: true });

  constructor(config: JitConfig) {
    this.#config = config;
  }

  /**
   * @throws {@link RegistrationGone} when the registration was removed or its secret is wrong
   * @throws {@link RunnerRefused} when its version is too old
   */
  async connect(signal: AbortSignal): Promise<void> {
    await this.#call('POST', 'connect', signal, {});
  }

  /** Waits for a job. Undefined when none came while the server held the call: ask again. */
  async nextJob(signal: AbortSignal): Promise<RunnerJob | undefined> {
    const { status, body } = await this.#call('GET', 'job', signal);
    return status === 202 ? undefined : (JSON.parse(body) as RunnerJob);
  }

  /** Waits for the job to be cancelled. False when it was not while the server held the call: ask again. */
  async cancelled(jobId: string, signal: AbortSignal): Promise<boolean> {
    const { status } = await this.#call('GET', `jobs/${jobId}/cancellation`, signal);
    return status !== 202;
  }

  async finish(jobId: string, result: JobResult, signal: AbortSignal): Promise<void> {
    await this.#call('POST', `jobs/${jobId}/finish`, signal, { result });
  }

  /** Ends the client's connections. */
  close(): void {
    this.#agent.destroy();
  }

  async #call(method: string, path: string, signal: AbortSignal, body?: unknown): Promise<Reply> {
    const { serverUrl, runnerId, secret } = this.#config;
    const reply = await send(
      new URL(`${serverUrl}/${runnerId}/${path}`),
      { method, agent: this.#agent, signal, headers: { authorization: `Bearer ${secret}`, 'user-agent': 'runner' } },
      body,
    );
    if (reply.status === 401 || reply.status === 404)
      throw new RegistrationGone(`GitHub does not know runner ${runnerId}`);
    if (reply.status === 403) throw new RunnerRefused((JSON.parse(reply.body) as { message: string }).message);
    if (reply.status >= 300) throw new Error(`GitHub answered ${reply.status}`);
    return reply;
  }
}

interface SendOptions {
  readonly method: string;
  readonly agent: Agent;
  readonly signal: AbortSignal;
  readonly headers: Record<string, string>;
}

function send(url: URL, options: SendOptions, body: unknown): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const headers = body === undefined ? options.headers : { ...options.headers, 'content-type': 'application/json' };
    const call = request(url, { ...options, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString('utf8') });
      });
    });
    call.on('error', reject);
    call.end(body === undefined ? undefined : JSON.stringify(body));
  });
}
