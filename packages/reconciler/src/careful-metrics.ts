import type { Logger } from '@rungar/model';
import type { Metrics } from './ports.js';

/** The same metrics, whose failures are logged once and disturb nobody. */
export function carefulMetrics(metrics: Metrics, logger: Logger): Metrics {
  let told = false;
  const trying = (measure: () => void): void => {
    try {
      measure();
    } catch (error) {
      if (!told) logger.error('Measurements are lost: the metrics failed', { error });
      told = true;
    }
  };
  return {
    add: (name, labels, by) => trying(() => metrics.add(name, labels, by)),
    set: (name, labels, value) => trying(() => metrics.set(name, labels, value)),
    unset: (name, labels) => trying(() => metrics.unset(name, labels)),
    observe: (name, labels, seconds) => trying(() => metrics.observe(name, labels, seconds)),
  };
}
