import { availableParallelism, totalmem } from 'node:os';
import { join } from 'node:path';
import { systemClock, systemRandom } from '@rungar/model';
import { runBenchmarks } from './run.js';
import { benchmarks } from './suites/index.js';

const { argv, cpuUsage, env, execPath, stdout, versions } = process;

process.exitCode = await runBenchmarks(
  benchmarks,
  argv.slice(2),
  {
    seed: Math.floor(systemRandom.fraction() * 2 ** 32),
    now: systemClock.now,
    cpu() {
      const { user, system } = cpuUsage();
      return (user + system) / 1000;
    },
    node: execPath,
    root: join(import.meta.dirname, '..', '..'),
    env,
  },
  {
    node: versions.node,
    cores: availableParallelism(),
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    date: new Date(systemClock.wallNow()).toISOString().slice(0, 10),
  },
  (text) => stdout.write(text),
);
