import { version } from './build-info.js';

// Answered before anything else is loaded: scripts ask for it often.
if (process.argv.length === 3 && process.argv[2] === '--version') {
  process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => process.exit(code === 'EPIPE' ? 141 : 5));
  process.stdout.write(`${version()}\n`);
} else {
  await runInProcess();
}

/** The one place where the process is touched: its arguments, streams and signals in, its exit code out. */
async function runInProcess(): Promise<void> {
  const [{ run }, { StopRequest }, { onOutputErrors }, { systemClock }] = await Promise.all([
    import('./run.js'),
    import('./exit.js'),
    import('./output-errors.js'),
    import('@rungar/model'),
  ]);
  const stop = new AbortController();
  let asked = 0;
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => {
      const request = new StopRequest(name);
      stop.abort(request);
      // One Ctrl-C can arrive twice, passed on by npm. Whoever asks again does not want to wait for an orderly end.
      asked += 1;
      if (asked > 2) process.exit(request.exitCode);
    });
  }
  onOutputErrors(process, stop, (code) => process.exit(code));
  const { env, stdin, stdout, stderr, argv } = process;
  process.exitCode = await run(argv.slice(2), { env, stdin, stdout, stderr, signal: stop.signal, clock: systemClock });
}
