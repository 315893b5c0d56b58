import type { DescribeInstancesCommandInput, EC2Client } from '@aws-sdk/client-ec2';
import type { Clock } from '@rungar/model';
import { unreadable } from './errors.js';
import { type InstancesPage, readInstancesPage, type SeenInstance } from './instances-page.js';

export interface InstanceListing {
  readonly instances: readonly SeenInstance[];
  /** The account they belong to; absent when there are none. */
  readonly ownerId?: string;
  /** How far EC2's clock is ahead of this host's, in milliseconds, by the last answer. */
  readonly clockOffsetMs?: number;
}

type Sdk = Pick<typeof import('@aws-sdk/client-ec2'), 'DescribeInstancesCommand'>;

/** The most instances EC2 puts on a page. */
const PAGE = 1_000;

/**
 * All pages of a listing. An instance that moved between two of them is there once, as the later page has it.
 * @throws what the SDK throws; Ec2Error for an answer that is not a listing
 */
export async function describeAll(
  sdk: Sdk,
  client: Pick<EC2Client, 'send' | 'config'>,
  input: DescribeInstancesCommandInput,
  clock: Pick<Clock, 'wallNow'>,
  abortSignal: AbortSignal,
): Promise<InstanceListing> {
  const byId = new Map<string, SeenInstance>();
  let more: { ownerId?: string; clockOffsetMs?: number } = {};
  let token: string | undefined;
  do {
    const answer = await describePage(sdk, client, { ...input, ...(token && { NextToken: token }) }, abortSignal);
    const { instances, ownerId, nextToken } = answer.page;
    for (const instance of instances) if (instance.InstanceId) byId.set(instance.InstanceId, instance);
    more = {
      ...more,
      ...(ownerId !== undefined && { ownerId }),
      ...(answer.date !== undefined && { clockOffsetMs: answer.date - clock.wallNow() }),
    };
    token = nextToken;
  } while (token);
  return { instances: [...byId.values()], ...more };
}

interface Answer {
  readonly page: InstancesPage;
  /** When the backend says it answered, in epoch milliseconds. */
  readonly date?: number;
}

/**
 * One page. The SDK signs, sends, retries and reads refusals as ever; a page itself is read here, before the SDK
 * makes objects of it, and the SDK is given an empty answer instead.
 */
async function describePage(
  sdk: Sdk,
  client: Pick<EC2Client, 'send' | 'config'>,
  input: DescribeInstancesCommandInput,
  abortSignal: AbortSignal,
): Promise<Answer> {
  const command = new sdk.DescribeInstancesCommand({ ...input, MaxResults: PAGE });
  let page: InstancesPage | undefined;
  let date: number | undefined;
  command.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      const response = result.response as HttpAnswer;
      date = dateOf(response);
      page = undefined;
      if (response.statusCode >= 300) return result;
      const bytes = await client.config.streamCollector(response.body);
      page = readInstancesPage(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'));
      response.body = new Uint8Array();
      return result;
    },
    { step: 'deserialize', priority: 'low', name: 'readInstancesPage' },
  );
  await client.send(command, { abortSignal });
  if (!page) throw unreadable('DescribeInstances');
  return { page, ...(date !== undefined && { date }) };
}

/** An answer as the SDK's own deserializer is given it. */
interface HttpAnswer {
  readonly statusCode: number;
  readonly headers?: { readonly date?: string };
  body: unknown;
}

function dateOf({ headers }: HttpAnswer): number | undefined {
  const date = Date.parse(headers?.date ?? '');
  return Number.isNaN(date) ? undefined : date;
}
