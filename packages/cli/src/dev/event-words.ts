import type { EventAnswer } from '../control/answers.js';
import { enumWords } from '../output/words.js';

/**
 * What to say of a daemon's event to those who watch GitHub as well; nothing for what GitHub has said already: that a
 * runner connected and took its job.
 */
export function eventWords({ action, message }: EventAnswer): string | undefined {
  switch (action) {
    case 'EVENT_ACTION_CONNECTED':
    case 'EVENT_ACTION_JOB_STARTED':
      return undefined;
    case 'EVENT_ACTION_CREATED':
      return 'machine created';
    case 'EVENT_ACTION_ADOPTED':
    case 'EVENT_ACTION_PAUSED':
      return enumWords(action, 'EVENT_ACTION_').toLowerCase();
    default:
      return message
        ? message.charAt(0).toLowerCase() + message.slice(1)
        : enumWords(action, 'EVENT_ACTION_').toLowerCase();
  }
}
