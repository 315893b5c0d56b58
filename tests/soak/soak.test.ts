import { expect, test } from 'vitest';
import { crash, githubOutage, incident, outageOf, reclaimWave, reload, restart, restOutage } from './incidents.js';
import { plot } from './plot.js';
import { reportMarkdown, reportText } from './report.js';
import { soak } from './soak.js';

/** Nothing here waits, but the host may be busy. */
const LONG_MS = 120_000;

/** One of each kind of trouble, one after the other. */
const NIGHT = [
  incident('Mon 00:10', 5, 'the daemon crashes', crash),
  incident('Mon 00:25', 20, 'aws does not answer', outageOf('aws')),
  incident('Mon 00:55', 5, 'the configuration changes', reload),
  incident('Mon 01:05', 15, "GitHub's REST API is down", restOutage),
  incident('Mon 01:25', 10, 'GitHub is down', githubOutage),
  incident('Mon 01:40', 5, 'the daemon is restarted', restart),
  incident('Mon 02:02', 10, 'spot machines are taken back', reclaimWave),
];

test(
  'a night of incidents loses no job and leaves nothing behind',
  async () => {
    const { result, story } = await soak({ seed: 1, hours: 3, jobsPerHour: 1_000, incidents: NIGHT });
    expect(result.violations).toEqual([]);
    expect(story).toEqual([]);
    const { queued, succeeded, cancelled, reclaimed } = result.jobs;
    expect(queued).toBeGreaterThan(500);
    // Those that still run are over when the night is.
    expect(succeeded + cancelled + reclaimed).toBeLessThanOrEqual(queued);
    expect(result.daemons).toBe(3);
    expect(result.incidents.map(({ what }) => what)).toEqual(NIGHT.map(({ what }) => what));
    expect(result.waits.incidents?.count).toBeGreaterThan(0);
    expect(result.byHour.jobs).toHaveLength(3);
    const { busyShare, idleShare, otherShare } = result.machines;
    expect(busyShare + idleShare + otherShare).toBeCloseTo(1, 3);
    // For each runner one registration at GitHub, and at least one machine asked for.
    const count = (who: string, kind: string): number =>
      result.calls
        .filter((one) => one.kind === kind && (who === '' || one.who === who))
        .reduce((sum, { total }) => sum + total, 0);
    expect(count('', 'create')).toBeGreaterThanOrEqual(result.machines.made);
    expect(count('github', 'registration')).toBeGreaterThanOrEqual(result.machines.made);

    const lines = reportText(result).split('\n');
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    expect(lines).toContain('Nothing was that must not be.');
    expect(reportMarkdown(result)).toContain('| 1. Mon 00:10 | The daemon crashes | 5 min |');
    const picture = plot(result);
    expect(picture).toContain(`${queued} jobs in 3 hours</text>`);
    expect(picture).not.toContain('NaN');
  },
  LONG_MS,
);

test(
  'the same seed gives the same result, and another one another',
  async () => {
    const run = async (seed: number) => (await soak({ seed, hours: 1, jobsPerHour: 400, incidents: [] })).result;
    const first = await run(1);
    expect(await run(1)).toEqual(first);
    expect((await run(2)).course).not.toBe(first.course);
  },
  LONG_MS,
);
