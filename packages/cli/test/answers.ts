import type { StatusAnswer } from '../src/control/answers.js';

/** Wednesday, 2027-02-03, 11:12:40 UTC. */
export const NOW = Date.UTC(2027, 1, 3, 11, 12, 40);

/** A fleet in which something of everything goes on. */
export const BUSY_STATUS: StatusAnswer = {
  daemon: {
    version: '1.4.0',
    start_time: '2027-02-03T06:12:40Z',
    config_file: '/etc/rungar/config.yaml',
    installation: 'gh-5b0c9a77d1e2',
    github: {
      url: 'https://github.com/fernhill',
      scope: 'organisation',
      credentials: 'App Iv23liQQ, installation 4711, key from /etc/rungar/fernhill.pem',
    },
  },
  scale_sets: [
    {
      name: 'birch-s',
      configured: true,
      labels: ['birch-s', 'quick'],
      providers: ['rack-a', 'rack-b'],
      placement: 'pack',
      runner_sizes: [
        { provider: 'rack-a', description: '2 vCPU, 4 GiB' },
        { provider: 'rack-b', description: '2 vCPU, 4 GiB' },
      ],
      min_runners: 1,
      max_runners: 12,
      phase: 'SCALE_SET_PHASE_LISTENING',
      desired_runners: 3,
      runner_counts: { idle: 2, busy: 1 },
      fleet_runners: 3,
    },
    {
      name: 'birch-xl',
      configured: true,
      labels: ['birch-xl'],
      providers: ['rack-b'],
      runner_sizes: [{ provider: 'rack-b', description: '8 vCPU, 32 GiB' }],
      max_runners: 2,
      phase: 'SCALE_SET_PHASE_LISTENING',
      desired_runners: 1,
      holding_back_reason: 'leaves rack-b to birch-rel, which waits for room there',
    },
  ],
  providers: [
    { name: 'rack-a', type: 'proxmox', reachable: true, runner_count: 3, max_runners: 16 },
    {
      name: 'rack-b',
      type: 'dicer',
      reachable: true,
      hold: { scale_set: 'birch-rel', priority: 5, remaining: '48s' },
      scale_sets: [{ scale_set: 'birch-s', backoff_for: '22s', full: true, refusals: 1 }],
    },
  ],
  runners: [
    {
      name: 'birch-s-0a1b2c3d',
      scale_set: 'birch-s',
      provider: 'rack-a',
      state: 'RUNNER_STATE_BUSY',
      machine_state: 'MACHINE_STATE_RUNNING',
      github_status: 'RUNNER_GITHUB_STATUS_BUSY',
      create_time: '2027-02-03T11:06:00Z',
      job: { id: '4f', repository: 'fernhill/site', display_name: 'unit tests' },
    },
    {
      name: 'birch-xl-5511ff00',
      scale_set: 'birch-xl',
      provider: 'rack-b',
      state: 'RUNNER_STATE_STARTING',
      machine_state: 'MACHINE_STATE_STARTING',
      github_status: 'RUNNER_GITHUB_STATUS_NOT_REGISTERED',
      create_time: '2027-02-03T11:12:22Z',
    },
  ],
};
