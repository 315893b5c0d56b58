import { gcpLabelFilter, matchesSelector } from '@rungar/labels';
import type { Clock, Labels, ListingPart, Logger, Machine, MachineListing } from '@rungar/model';
import type { Pacer } from '../shared/pacer.js';
import { withinLimit } from '../shared/within-limit.js';
import type { ComputeEngine } from './client.js';
import { GceError, toRungarError } from './errors.js';
import { toMachine } from './machine.js';
import { type GcpSettings, regionOf } from './settings.js';

export interface ListTools {
  readonly gce: ComputeEngine;
  readonly settings: GcpSettings;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Of calls that only read. */
  readonly reads: Pacer;
}

/** The zones of a provider and the machines in them. */
export interface ZoneLister {
  /** The zones of the configuration, and others of the region that machines were seen in. */
  zones(): readonly string[];
  /** @throws the signal's reason when it aborts; whatever else goes wrong with a zone is said in its part */
  list(selector: Labels, signal: AbortSignal): Promise<MachineListing>;
}

/**
 * Lists zone by zone. A zone that is no longer in the configuration must not hide its machines: the first listing
 * also asks once for the whole project, and the zones of the region that turn up there are listed until they are empty.
 */
export function createZoneLister(tools: ListTools): ZoneLister {
  const { settings, clock, logger } = tools;
  const region = regionOf(settings.zones[0] ?? '');
  const others = new Set<string>();
  let looked = false;

  const lookForOthers = async (selector: Labels, signal: AbortSignal): Promise<void> => {
    if (looked) return;
    try {
      const isOther = (zone: string): boolean => regionOf(zone) === region && !settings.zones.includes(zone);
      const { inUse, unreachable } = await zonesInUse(tools, selector, signal);
      for (const zone of inUse) if (isOther(zone)) others.add(zone);
      looked = !unreachable.some(isOther);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof GceError)) throw error;
      logger.debug('machines in other zones could not be looked for, tried again', { error: error.reason });
    }
  };

  const listPart = async (zone: string, selector: Labels, signal: AbortSignal): Promise<PartSeen> => {
    const begunAt = clock.now();
    try {
      const { machines, ...rest } = await listZone(tools, zone, selector, signal);
      if (machines.length === 0) others.delete(zone);
      return { part: { part: zone, begunAt, machines }, ...rest };
    } catch (error) {
      signal.throwIfAborted();
      return { part: { part: zone, begunAt, machines: [], error: asError(error, zone) } };
    }
  };

  const listAll = (zones: readonly string[], selector: Labels, signal: AbortSignal): Promise<PartSeen[]> =>
    Promise.all(zones.map((zone) => listPart(zone, selector, signal)));

  return {
    zones: () => [...settings.zones, ...others],
    async list(selector, signal) {
      const [seen] = await Promise.all([
        listAll([...settings.zones, ...others], selector, signal),
        lookForOthers(selector, signal),
      ]);
      const listed = new Set(seen.map(({ part }) => part.part));
      const late = await listAll(
        [...others].filter((zone) => !listed.has(zone)),
        selector,
        signal,
      );
      const all = [...seen, ...late];
      const clockOffsetMs = all.find((one) => one.clockOffsetMs !== undefined)?.clockOffsetMs;
      const project = all.find((one) => one.project !== undefined)?.project;
      return {
        parts: all.map(({ part }) => part),
        ...(project !== undefined && { identity: identityOf(settings, project) }),
        upToDate: true,
        ...(clockOffsetMs !== undefined && { clockOffsetMs }),
      };
    },
  };
}

interface SaidBeside {
  readonly clockOffsetMs?: number;
  /** By the name Google has for it. */
  readonly project?: string;
}

interface PartSeen extends SaidBeside {
  readonly part: ListingPart;
}

interface MachinesSeen extends SaidBeside {
  readonly machines: readonly Machine[];
}

/** The project and region, which several of Google's own addresses lead to; behind another one, whatever that is. */
function identityOf({ zones, endpointUrl }: GcpSettings, project: string): string {
  const place = `gcp:${project}/${regionOf(zones[0] ?? '')}`;
  if (endpointUrl === undefined || /(^|\.)googleapis\.com$/.test(new URL(endpointUrl).hostname)) return place;
  return `${place} at ${endpointUrl}`;
}

/** All pages of a zone, within one time limit. Google's filter narrows; the labels in the metadata decide. */
async function listZone(
  { gce, settings, clock, reads }: ListTools,
  zone: string,
  selector: Labels,
  signal: AbortSignal,
): Promise<MachinesSeen> {
  const filter = gcpLabelFilter(selector);
  return withinLimit(clock, settings.timeoutMs, `listing ${zone}`, signal, async (limited) => {
    const byId = new Map<string, Machine>();
    let seen: SaidBeside = {};
    let pageToken: string | undefined;
    do {
      const wanted = { filter, ...(pageToken && { pageToken }) };
      const page = await reads.run(() => gce.listInstances(zone, wanted, limited), limited);
      for (const instance of page.items) {
        const machine = toMachine(instance, zone);
        if (machine && matchesSelector(machine.labels, selector)) byId.set(machine.id, machine);
      }
      const project = /^projects\/([^/]+)\//.exec(page.id ?? '')?.[1];
      if (project !== undefined) seen = { ...seen, project };
      if (page.clockOffsetMs !== undefined) seen = { ...seen, clockOffsetMs: page.clockOffsetMs };
      pageToken = page.nextPageToken;
    } while (pageToken);
    return { machines: [...byId.values()], ...seen };
  });
}

interface ZonesSeen {
  readonly inUse: ReadonlySet<string>;
  /** Those that nobody could tell of now. */
  readonly unreachable: readonly string[];
}

async function zonesInUse({ gce }: ListTools, selector: Labels, signal: AbortSignal): Promise<ZonesSeen> {
  const filter = gcpLabelFilter(selector);
  const inUse = new Set<string>();
  const unreachable: string[] = [];
  let pageToken: string | undefined;
  do {
    const page = await gce.zonesWithInstances({ filter, ...(pageToken && { pageToken }) }, signal);
    for (const zone of page.items) inUse.add(zone);
    unreachable.push(...(page.unreachable ?? []));
    pageToken = page.nextPageToken;
  } while (pageToken);
  return { inUse, unreachable };
}

function asError(error: unknown, zone: string): Error {
  if (error instanceof GceError) return toRungarError(error, `listing ${zone}`);
  return error instanceof Error ? error : new Error(String(error));
}
