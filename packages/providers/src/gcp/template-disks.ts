import { type Clock, type Logger, messageOf } from '@rungar/model';
import type { Pacer } from '../shared/pacer.js';
import { withinLimit } from '../shared/within-limit.js';
import type { ComputeEngine } from './client.js';
import type { InstanceId } from './machine.js';
import { lastSegment } from './names.js';
import type { OperationWatcher } from './operations.js';

export interface DiskLabelTools {
  readonly gce: ComputeEngine;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly pacer: Pacer;
  readonly operations: OperationWatcher;
}

const LIMIT_MS = 120_000;

/**
 * Gives the disks that an instance has from its template the instance's labels, so that one left behind can be told.
 * It is done when it can be: a failure is logged, and the machine is none the worse.
 */
export async function labelDisks(tools: DiskLabelTools, id: InstanceId, signal: AbortSignal): Promise<void> {
  try {
    await withinLimit(tools.clock, LIMIT_MS, 'labelling disks', signal, (limited) => labelAll(tools, id, limited));
  } catch (error) {
    tools.logger.debug('disks of a template not labelled', { instance: id.number, error: messageOf(error) });
  }
}

async function labelAll(tools: DiskLabelTools, { zone, number }: InstanceId, signal: AbortSignal): Promise<void> {
  const { labels = {}, disks = [] } = await tools.gce.getInstanceDisks(zone, number, signal);
  const sources = disks.flatMap(({ source }) => (source === undefined ? [] : [lastSegment(source)]));
  await Promise.all(sources.map((disk) => labelOne(tools, zone, disk, labels, signal)));
}

async function labelOne(
  { gce, pacer, operations }: DiskLabelTools,
  zone: string,
  name: string,
  labels: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<void> {
  const disk = await gce.getDisk(zone, name, signal);
  const wanted = { labels: { ...disk.labels, ...labels }, labelFingerprint: disk.labelFingerprint ?? '' };
  const begun = await pacer.run(() => gce.setDiskLabels(zone, name, wanted, signal), signal);
  await operations.wait(zone, begun, signal);
}
