// How each provider does, and when what it refused is tried again.
import { byId, element, inside, list, setAttribute, setHidden, setText } from './elements.js';
import { duration, number, plural, wholeInstant } from './words.js';

/** @import { ProviderRow, Trouble } from '../src/view/view.js' */

/** @type {Readonly<Record<ProviderRow['health'], string>>} */
const HEALTH = { well: 'is well', troubled: 'has trouble', unreachable: 'cannot be reached', disabled: 'is disabled' };

/** @returns {(providers: readonly ProviderRow[], matches: (...texts: string[]) => boolean, now: number) => void} */
export function providersSection() {
  const nothing = inside(byId('providers'), '.nothing');
  const show = list(byId('providers-list'), (/** @type {Shown} */ { provider }) => provider.name, providerCard);
  return (providers, matches, now) => {
    const shown = providers.filter(({ name, type, endpoint, troubles }) =>
      matches(name, type, endpoint, ...troubles.map(({ text }) => text)),
    );
    setHidden(nothing, shown.length > 0);
    show(shown.map((provider) => ({ provider, now })));
  };
}

/** @typedef {{ provider: ProviderRow, now: number }} Shown */

function providerCard() {
  const title = element('h3');
  const place = element('span', { class: 'note' });
  const runners = element('span');
  const troubles = element('ul');
  const node = element('li', {}, title, place, runners, troubles);
  const showTroubles = list(troubles, (/** @type {ShownTrouble} */ { key }) => key, troubleItem);
  return {
    node,
    /** @param {Shown} shown */
    update({ provider, now }) {
      setAttribute(node, 'class', provider.health);
      setText(title, `${provider.name} ${HEALTH[provider.health]}`);
      setText(place, `${provider.type} · ${provider.endpoint}`);
      const most = provider.maxRunners > 0 ? ` of at most ${number(provider.maxRunners)}` : '';
      setText(runners, `${plural(provider.runners, 'runner')}${most} · ${number(provider.machineHours)} machine-hours`);
      showTroubles(provider.troubles.map((trouble, index) => ({ key: `${index}`, trouble, now })));
    },
  };
}

/** @typedef {{ key: string, trouble: Trouble, now: number }} ShownTrouble */

function troubleItem() {
  const node = element('li');
  return {
    node,
    /** @param {ShownTrouble} shown */
    update({ trouble, now }) {
      setAttribute(node, 'class', trouble.kind === 'held' || trouble.kind === 'disabled' ? '' : 'bad');
      setText(node, `${trouble.text}${nextTry(trouble, now)}`);
    },
  };
}

/** @param {Trouble} trouble @param {number} now */
function nextTry({ kind, until }, now) {
  if (until === undefined) return '';
  if (kind === 'disabled') return `, until ${wholeInstant(until)}`;
  if (kind === 'held') return `, for ${duration(until - now)} more`;
  return until > now ? `; tried again in ${duration(Math.ceil((until - now) / 1000) * 1000)}` : '; tried again now';
}
