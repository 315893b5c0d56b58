import type { DescribeInstancesCommandInput, EC2Client } from '@aws-sdk/client-ec2';
import type { Clock } from '@rungar/model';
import { unreadable } from './errors.js';
import { readInstancesPage, type SeenInstance } from './instances-page.js';
import { sendAndRead } from './send-and-read.js';

/** A complete listing of instances. */
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
    const command = new sdk.DescribeInstancesCommand({
      ...input,
      ...(token && { NextToken: token }),
      MaxResults: PAGE,
    });
    const { content: page, date } = await sendAndRead(client, command, readInstancesPage, abortSignal);
    if (!page) throw unreadable('DescribeInstances');
    const { instances, ownerId, nextToken } = page;
    for (const instance of instances) if (instance.InstanceId) byId.set(instance.InstanceId, instance);
    more = {
      ...more,
      ...(ownerId !== undefined && { ownerId }),
      ...(date !== undefined && { clockOffsetMs: date - clock.wallNow() }),
    };
    token = nextToken;
  } while (token);
  return { instances: [...byId.values()], ...more };
}
