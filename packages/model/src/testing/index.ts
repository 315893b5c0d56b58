export { type FakeClock, fakeClock } from './fake-clock.js';
export { seededRandom } from './seeded-random.js';
