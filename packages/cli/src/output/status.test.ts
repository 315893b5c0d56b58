import { stripVTControlCharacters } from 'node:util';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { BUSY_STATUS, NOW } from '../../test/answers.js';
import type { ProviderAnswer, ScaleSetAnswer, StatusAnswer } from '../control/answers.js';
import { statusLines } from './status.js';
import { styleFor } from './style.js';

beforeAll(() => {
  vi.stubEnv('TZ', 'UTC');
});

const plain = styleFor({ write: () => true }, {});
const report = (status: StatusAnswer, width?: number): string[] =>
  statusLines(status, { style: plain, now: NOW, ...(width !== undefined && { width }) });

describe('the whole report', () => {
  test('shows every column where the width is not limited', () => {
    expect(`${report(BUSY_STATUS).join('\n')}\n`).toBe(`Rungar 1.4.0

       GitHub: https://github.com/fernhill (organisation)
  Credentials: App Iv23liQQ, installation 4711, key from /etc/rungar/fernhill.pem OK
 Installation: gh-5b0c9a77d1e2
      Running: since 2027-02-03 06:12:40 (5h)
Configuration: /etc/rungar/config.yaml

Scale sets (2)
  SCALE SET   STATUS         PROVIDERS              LABELS          RUNNER           RUNNERS      DESIRED   MIN   MAX   PRIORITY
  birch-s     LISTENING      rack-a,rack-b (pack)   birch-s,quick   2 vCPU, 4 GiB    3 (1 busy)   3         1     12    0
  birch-xl    HOLDING BACK   rack-b                 birch-xl        8 vCPU, 32 GiB   0            1         0     2     0
  birch-xl: leaves rack-b to birch-rel, which waits for room there

Providers (2)
  PROVIDER   TYPE      STATUS                                      RUNNERS
  rack-a     proxmox   OK                                          3/16
  rack-b     dicer     HELD for birch-rel (priority 5), 48s left   0
  birch-s skips rack-b: full, next try in 22s

Runners (2)
  RUNNER              SCALE SET   PROVIDER   STATE      MACHINE    GITHUB           AGE   JOB
  birch-s-0a1b2c3d    birch-s     rack-a     Busy       Running    Busy             6m    fernhill/site: unit tests
  birch-xl-5511ff00   birch-xl    rack-b     Starting   Starting   Not registered   18s   -

2 runners of at most 14
`);
  });

  test('shows how the daemon stands with GitHub, how long machines have stood, and versions that end', () => {
    const { daemon, scale_sets: [first = {}] = [], providers: [rack = {}] = [] } = BUSY_STATUS;
    const versions = [
      { version: '2.335.1', runners: 2, end_time: '2027-02-09T15:00:00Z' },
      { version: '2.337.0', runners: 1 },
    ];
    const status: StatusAnswer = {
      daemon: {
        ...daemon,
        github: {
          ...daemon?.github,
          rate_limit: { limit: 5000, remaining: 4321, reset_time: '2027-02-03T11:22:40Z' },
          token_expire_time: '2027-02-03T12:00:00Z',
          credential_expire_time: '2027-02-05T11:12:40Z',
        },
      },
      scale_sets: [
        { ...first, machine_hours: 10.25, runner_versions: versions },
        { ...first, name: 'oak', machine_hours: 2, runner_versions: [{ version: '2.320.0', refused: true }] },
      ],
      providers: [{ ...rack, machine_hours: 12.25 }],
    };
    const said = report(status).map((line) => line.trim());
    for (const line of [
      'Rate limit: 4321 of 5000 requests left, all again in 10m0s',
      'Token: ends 2027-02-03 12:00:00, renewed before',
      'Token: ends 2027-02-05 11:12:40 (in 2d): make a new one before',
      'Machines: 12.3 hours since the daemon started',
      'birch-s: version 2.335.1 of the runner program gets no jobs from 2027-02-09 on',
      'oak: version 2.320.0 of the runner program gets no jobs any more',
    ])
      expect(said).toContain(line);
    expect(said.join('\n')).not.toContain('2.337.0');
    const wide = statusLines(status, { style: plain, now: NOW }, { wide: true, headers: false }).map((line) =>
      line.trim(),
    );
    expect(wide.filter((line) => /^(birch-s|oak|rack-a) .* (10\.3|2\.0|12\.3)$/.test(line))).toHaveLength(3);
  });

  test('gives up columns, never lines, on a terminal of 80', () => {
    expect(`${report(BUSY_STATUS, 80).slice(8).join('\n')}\n`).toBe(`Scale sets (2)
  SCALE SET   STATUS         RUNNERS      DESIRED   MIN   MAX
  birch-s     LISTENING      3 (1 busy)   3         1     12
  birch-xl    HOLDING BACK   0            1         0     2
  birch-xl: leaves rack-b to birch-rel, which waits for room there

Providers (2)
  PROVIDER   TYPE      STATUS                                      RUNNERS
  rack-a     proxmox   OK                                          3/16
  rack-b     dicer     HELD for birch-rel (priority 5), 48s left   0
  birch-s skips rack-b: full, next try in 22s

Runners (2)
  RUNNER              PROVIDER   STATE      AGE   JOB
  birch-s-0a1b2c3d    rack-a     Busy       6m    fernhill/site: unit tests
  birch-xl-5511ff00   rack-b     Starting   18s   -

2 runners of at most 14
`);
  });

  test('of a daemon that knows nothing yet holds together', () => {
    expect(report({}).join('\n')).toBe(`Rungar

       GitHub: - (-)
  Credentials: -
 Installation: -
      Running: -
Configuration: -

Scale sets (0)
  none

Providers (0)
  none

Runners (0)
  none

0 runners of at most 0`);
  });

  test('says the same in colour as without it', () => {
    const coloured = statusLines(BUSY_STATUS, { style: styleFor({ write: () => true, isTTY: true }, {}), now: NOW });
    expect(coloured.join('\n')).toContain('\u001b[32mLISTENING\u001b[39m');
    expect(coloured.map(stripVTControlCharacters)).toEqual(report(BUSY_STATUS));
  });

  test('shows what is wrong with the credentials and the event file', () => {
    const lines = report({
      daemon: {
        github: { url: 'https://github.com/acme', scope: 'organisation', credentials: 'token', error: '401: bad' },
        events_error: 'no space left on device',
      },
    });
    expect(lines).toContain('  Credentials: token');
    expect(lines).toContain('               401: bad');
    expect(lines).toContain('       Events: no space left on device');
  });

  test('names the providers that could not be listed', () => {
    const lines = report({ unreachable_providers: { 'rack-c': 'connect 10.9.0.3:8006: timed out' } });
    expect(lines).toContain('  rack-c could not be listed: connect 10.9.0.3:8006: timed out');
  });
});

describe("a scale set's word and note", () => {
  const LISTENING = 'SCALE_SET_PHASE_LISTENING';
  test.each<[Partial<ScaleSetAnswer>, string, string | undefined]>([
    [{ configured: false, paused: true }, 'LEFTOVER', 'not in the configuration, but it has runners'],
    [
      { paused: true, pause_kept: true, pause_reason: 'new image', phase: LISTENING },
      'PAUSED',
      'takes no jobs, they wait on GitHub; kept over restarts (new image)',
    ],
    [{ paused: true, phase: LISTENING }, 'PAUSED', 'takes no jobs, they wait on GitHub; until resumed or restarted'],
    [{ paused: true, configured_paused: true }, 'PAUSED', 'takes no jobs, they wait on GitHub'],
    [
      { paused: true, configured_paused: true, fleet_runners: 1, holding_back_reason: 'x' },
      'PAUSED',
      'takes no jobs, they wait on GitHub; 1 runner left',
    ],
    [{ holding_back_reason: 'leaves rack-a to birch-rel', phase: LISTENING }, 'HOLDING', 'leaves rack-a to birch-rel'],
    [{ phase: LISTENING }, 'LISTENING', undefined],
    [{ phase: LISTENING, configured_paused: true }, 'LISTENING', 'resumed, although the configuration says paused'],
    [{ phase: 'SCALE_SET_PHASE_WAITING_FOR_SESSION' }, 'WAITING', 'another session holds it'],
    [{ phase: 'SCALE_SET_PHASE_WAITING_FOR_LEAD' }, 'WAITING', "stands by until this daemon holds the lead's session"],
    [
      { phase: 'SCALE_SET_PHASE_GITHUB_UNREACHABLE', retry_at: '2027-02-03T11:13:00Z' },
      'UNREACHABLE',
      'GitHub does not answer; being tried again, next try in 20s',
    ],
    [
      {
        phase: 'SCALE_SET_PHASE_FAILED',
        state_reason: 'there is no runner group "x"',
        retry_at: '2027-02-03T11:14:10Z',
      },
      'FAILED',
      'there is no runner group "x", next try in 1m30s',
    ],
    [{}, 'STARTING', 'being looked up on GitHub, its runners being adopted'],
  ])('%j is %s', (given, word, note) => {
    const lines = report({ scale_sets: [{ name: 'birch-s', configured: true, ...given }] });
    expect(lines.find((line) => line.startsWith('  birch-s '))?.split(/ +/)[2]).toBe(word);
    expect(lines.find((line) => line.startsWith('  birch-s: '))).toBe(note && `  birch-s: ${note}`);
  });

  test.each([
    [{ runner_counts: { starting: 2, idle: 1, busy: 1 } }, '4 (1 busy, 2 starting)'],
    [{ runner_counts: { idle: 4 } }, '4'],
    [{ runner_counts: {} }, '0'],
    [{ fleet_runners: 3 }, '3'],
    [{}, '0'],
  ])('%j has %s runners', (given, text) => {
    const [row] = report({ scale_sets: [{ name: 'birch-s', configured: true, max_runners: 9, ...given }] }, 80).filter(
      (line) => line.startsWith('  birch-s '),
    );
    expect(row).toContain(`   ${text}   `);
  });
});

describe("a provider's word and notes", () => {
  test.each<[Partial<ProviderAnswer>, string]>([
    [{ reachable: false, disabled: true, error: 'timed out' }, 'UNREACHABLE'],
    [{ disabled: true, configured_disabled: true }, 'DISABLED'],
    [{ disabled: true }, 'DISABLED until the daemon restarts'],
    [{ disabled: true, configured_disabled: true, runner_count: 2 }, 'DRAINING 2 runners left'],
    [{ disabled: true, runner_count: 1 }, 'DRAINING 1 runner left until the daemon restarts'],
    [
      { hold: { scale_set: 'birch-rel', priority: 5, remaining: '89.600s' } },
      'HELD for birch-rel (priority 5), 1m30s left',
    ],
    [{ configured_disabled: true }, 'OK enabled until the daemon restarts'],
    [{}, 'OK'],
  ])('%j is "%s"', (given, words) => {
    const lines = report({ providers: [{ name: 'rack-a', type: 'dicer', reachable: true, ...given }] });
    expect(lines.find((line) => line.startsWith('  rack-a '))).toContain(`  rack-a     dicer   ${words}   `);
  });

  test.each([
    [{ full: true, backoff_for: '22s' }, '  birch-s skips rack-a: full, next try in 22s'],
    [
      { refusals: 3, refusal: 'no such kernel', backoff_for: '60s' },
      '  birch-s skips rack-a: failing (3 in a row), next try in 1m0s: no such kernel',
    ],
    [
      { refusals: 1, refusal: 'denied', backoff_for: '4.600s' },
      '  birch-s skips rack-a: failing, next try in 5s: denied',
    ],
    [{ refusals: 1, refusal: 'denied' }, undefined],
  ])('a scale set that has %j is told of', (use, line) => {
    const lines = report({
      providers: [{ name: 'rack-a', reachable: true, scale_sets: [{ scale_set: 'birch-s', ...use }] }],
    });
    expect(lines.find((one) => one.includes('skips'))).toBe(line);
  });

  test('what is wrong there is told, and when it is tried again', () => {
    const lines = report({
      providers: [
        { name: 'rack-a', error: 'timed out' },
        {
          name: 'rack-b',
          reachable: true,
          state_reason: 'birch-s creates slowly here',
          retry_at: '2027-02-03T11:13:40Z',
        },
      ],
    });
    expect(lines).toContain('  rack-a: timed out');
    expect(lines).toContain('  rack-b: birch-s creates slowly here, next try in 1m0s');
  });
});

describe("a runner's line", () => {
  test.each([
    [{ job: { repository: 'fernhill/site', display_name: 'unit tests', id: '4f' } }, 'fernhill/site: unit tests'],
    [{ job: { id: '4f' } }, '4f'],
    [{ job: {} }, '-'],
    [{}, '-'],
  ])('%j ends with the job', (given, job) => {
    const lines = report({ runners: [{ name: 'birch-s-1', ...given }] });
    expect(lines.find((line) => line.startsWith('  birch-s-1'))?.endsWith(`   ${job}`)).toBe(true);
  });
});
