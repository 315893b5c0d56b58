import type { DescribeInstancesCommand, EC2Client, RunInstancesCommand } from '@aws-sdk/client-ec2';

type ReadCommand = DescribeInstancesCommand | RunInstancesCommand;

/** What was read of an answer. */
export interface ReadAnswer<T> {
  /** Absent when the body is not such an answer. */
  readonly content?: T;
  /** When the backend says it answered, in epoch milliseconds. */
  readonly date?: number;
}

/** An answer as the SDK's own deserializer is given it. */
interface HttpAnswer {
  readonly statusCode: number;
  readonly headers?: { readonly date?: string };
  body: unknown;
}

/**
 * Sends a command and reads its answer. The SDK signs, sends, retries and reads refusals as ever; a success is read
 * here, before the SDK makes objects of the whole of it, and the SDK is given an empty answer instead.
 * @param read gives nothing for what is not such an answer
 * @throws what the SDK throws
 */
export async function sendAndRead<T>(
  client: Pick<EC2Client, 'send' | 'config'>,
  command: ReadCommand,
  read: (xml: string) => T | undefined,
  abortSignal: AbortSignal,
): Promise<ReadAnswer<T>> {
  let answer: ReadAnswer<T> = {};
  (command.middlewareStack as DescribeInstancesCommand['middlewareStack']).add(
    (next) => async (args) => {
      const result = await next(args);
      const response = result.response as HttpAnswer;
      answer = dateOf(response);
      if (response.statusCode >= 300) return result;
      const bytes = await client.config.streamCollector(response.body);
      const content = read(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'));
      if (content !== undefined) answer = { ...answer, content };
      response.body = new Uint8Array();
      return result;
    },
    { step: 'deserialize', priority: 'low', name: 'readAnswer' },
  );
  await client.send(command as DescribeInstancesCommand, { abortSignal });
  return answer;
}

function dateOf({ headers }: HttpAnswer): { date?: number } {
  const date = Date.parse(headers?.date ?? '');
  return Number.isNaN(date) ? {} : { date };
}
