// Loaded before a program under test (node --expose-gc --import), started with an IPC channel. Answers every message
// with what the process holds after a collection, and the CPU it has had.
process.on('message', () => {
  globalThis.gc();
  const { heapUsed, external, rss } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  process.send({ heapBytes: heapUsed + external, rssBytes: rss, cpuMs: (user + system) / 1000 });
});
// It keeps nothing alive.
process.channel.unref();
