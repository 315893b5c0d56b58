/**
 * Holds the session of a scale set, which is made where it is missing, and prints each message that GitHub sends.
 * It ends when `signal` aborts, and gives the session back.
 *
 * @param {import('@rungar/github').GitHubClient} github
 * @param {object} options
 * @param {string} options.scaleSet
 * @param {number} options.capacity how many jobs GitHub may assign: 0 only watches
 * @param {(line: string) => void} options.print
 * @param {AbortSignal} options.signal
 */
export async function printMessages(github, { scaleSet: name, capacity, print, signal }) {
  const scaleSet =
    (await github.findScaleSet(name, 'Default', { signal })) ??
    (await github.createScaleSet(name, 'Default', [name], { signal }));
  const session = await github.openSession(scaleSet, 'print-messages', { signal });
  print(`listening for ${scaleSet.name}`);

  /** @type {import('@rungar/github').JobMessageHandler} */
  const handler = {
    // A poll to which GitHub has nothing to say brings the numbers only.
    onStatistics({ assignedJobs, runningJobs, registeredRunners }, message) {
      if (message === undefined) return;
      print(`message ${message.id}: ${assignedJobs} assigned, ${runningJobs} running, ${registeredRunners} runners`);
      for (const { displayName, owner, repository } of message.assigned) {
        print(`  assigned   ${displayName} of ${owner}/${repository}`);
      }
      for (const { displayName, runnerName } of message.started) print(`  started    ${displayName} on ${runnerName}`);
      for (const { displayName, result } of message.completed) print(`  completed  ${displayName}: ${result}`);
    },
    // The same once more, job by job, for whoever counts rather than reads.
    onJobStarted() {},
    onJobCompleted() {},
  };
  try {
    await session.listen(handler, { signal, capacity: () => capacity });
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    await session.close();
  }
}
