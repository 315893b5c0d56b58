// Events as they come, the latest first.
import { byId, element, inside, list, setAttribute, setHidden, setText } from './elements.js';
import { clock, spaced, wholeInstant } from './words.js';

/** @import { EventRow } from '../src/view/view.js' */

/** An event with a number of its own. */
/** @typedef {EventRow & { number: number }} NumberedEvent */

/** @returns {(events: readonly NumberedEvent[], matches: (...texts: string[]) => boolean) => void} */
export function eventsSection() {
  const section = byId('events');
  const nothing = inside(section, '.nothing');
  const show = list(byId('events-list'), (/** @type {NumberedEvent} */ { number }) => String(number), eventItem);
  return (events, matches) => {
    const shown = events.filter(({ name, action, scaleSet = '', provider = '', message }) =>
      matches(name, spaced(action), scaleSet, provider, message),
    );
    setHidden(nothing, shown.length > 0);
    show(shown.toReversed());
  };
}

function eventItem() {
  const time = element('time');
  const action = element('span');
  const name = element('span');
  const message = element('span');
  return {
    node: element('li', {}, time, action, name, message),
    /** @param {EventRow} event */
    update(event) {
      if (time.dateTime !== '') return; // An event does not change.
      setAttribute(time, 'datetime', new Date(event.time).toISOString());
      setAttribute(time, 'title', wholeInstant(event.time));
      setText(time, clock(event.time));
      setText(action, spaced(event.action));
      setAttribute(action, 'class', event.bad ? 'bad' : '');
      setText(name, event.name);
      setText(message, event.message);
    },
  };
}
