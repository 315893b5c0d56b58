import { buildInfo } from './build-info.js';

// Answered before anything else is loaded: scripts ask for it often.
if (process.argv.length === 3 && process.argv[2] === '--version') {
  process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => process.exit(code === 'EPIPE' ? 0 : 1));
  process.stdout.write(`${buildInfo()}\n`);
} else {
  await runInProcess();
}

/** The one place where the process is touched: its arguments, streams and signals in, its exit code out. */
async function runInProcess(): Promise<void> {
  const { run, StopRequest, onOutputErrors, pipeHasReader, systemClock, hostname } = await import('./in-process.js');
  const stop = new AbortController();
  let asked = 0;
  let onHangUp: (() => void) | undefined;
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => {
      if (name === 'SIGHUP' && onHangUp) return onHangUp();
      const request = new StopRequest(name);
      stop.abort(request);
      // One Ctrl-C can arrive twice, passed on by npm. Whoever asks again does not want to wait for an orderly end.
      asked += 1;
      if (asked > 2) process.exit(request.exitCode);
    });
  }
  onOutputErrors(process, stop, (code) => {
    process.exitCode = code;
  });
  // The AWS SDK reads this one from the environment alone; the notice is for its developers, not for our users.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';
  const { env, stdin, stdout, stderr, execPath, argv } = process;
  const exitCode = await run(argv.slice(2), {
    env,
    stdin,
    stdout,
    stderr,
    hasReader: () => pipeHasReader(stdout.fd),
    signal: stop.signal,
    takeHangUps: (handler) => {
      onHangUp = handler;
    },
    clock: systemClock,
    host: { name: hostname() || 'unknown', nodeVersion: process.versions.node, umask: (mask) => process.umask(mask) },
    self: [execPath, argv[1] ?? ''],
  });
  // A result that could not be written has set one already.
  process.exitCode ??= exitCode;
}
