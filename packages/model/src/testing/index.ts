export { type FakeClock, fakeClock } from './fake-clock.js';
export { inQuotes, located, locatedMap, type QuotedText, type Written } from './located.js';
export { seededRandom } from './seeded-random.js';
