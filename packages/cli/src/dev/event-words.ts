import type { EventAnswer } from '../control/answers.js';
import { enumWords } from '../output/words.js';

/**
 * What to say of a daemon's event to those who watch GitHub as well; nothing for what GitHub has said already: that a
 * runner connected and took its job.
 */
export function eventWords({ action, message, provider, scale_set: scaleSet }: EventAnswer): string | undefined {
  switch (action) {
    case 'EVENT_ACTION_CONNECTED':
    case 'EVENT_ACTION_JOB_STARTED':
      return undefined;
    case 'EVENT_ACTION_CREATED':
      return `machine created on ${provider}`;
    case 'EVENT_ACTION_ADOPTED':
      return `adopted from ${provider}`;
    case 'EVENT_ACTION_FULL':
      return `full: ${scaleSet} moves on`;
    case 'EVENT_ACTION_PAUSED':
      return 'paused';
    default:
      return message
        ? message.charAt(0).toLowerCase() + message.slice(1)
        : enumWords(action, 'EVENT_ACTION_').toLowerCase();
  }
}
