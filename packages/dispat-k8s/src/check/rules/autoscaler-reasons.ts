/** Why no autoscaler changes a pool during a release: the four reasons, short and in full. */
export const AUTOSCALER_REASONS = [
  {
    title: 'The pool is fixed before any task is placed',
    short: 'The pool is fixed before any task is placed, so a pod that appears later receives no work.',
    text: 'The orchestrator lists its workers by name and asks each of them before it dispatches anything. A pod that appears later is in no list, was never asked, and receives no work.',
  },
  {
    title: 'CPU is the wrong signal',
    short: 'CPU is the wrong signal: one build running looks like one running and ten waiting.',
    text: 'A worker is at full CPU with one build running and at full CPU with ten more waiting. How much waits is known exactly from the plan, and from the branches in the mailbox.',
  },
  {
    title: 'The reaction is slower than the work',
    short: 'The reaction is slower than the work, because a metric, a pod, an image and a machine take minutes.',
    text: 'A metric window, the start of a pod, an image pull and often a new machine take minutes. Most releases are over by then.',
  },
  {
    title: 'Scaling down is destructive',
    short: 'Scaling down is destructive: it takes any pod, with its task, and no task is tried again elsewhere.',
    text: 'An autoscaler removes whichever pod it chooses. A build lost that way fails its package and is noticed only at the task timeout; a publish lost that way has an unknown outcome (E228), and the release lock of its repository stays until a person has looked.',
  },
] as const;
