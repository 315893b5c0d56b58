import type { Logger } from '@rungar/model';
import type { Metrics } from './ports.js';

/** The same metrics, whose failures are logged once and disturb nobody. */
export function carefulMetrics(metrics: Metrics, logger: Logger): Metrics {
  let told = false;
  const lost = (error: unknown): void => {
    if (!told) logger.error('Measurements are lost: the metrics failed', { error });
    told = true;
  };
  return {
    add(name, labels, by) {
      try {
        metrics.add(name, labels, by);
      } catch (error) {
        lost(error);
      }
    },
    set(name, labels, value) {
      try {
        metrics.set(name, labels, value);
      } catch (error) {
        lost(error);
      }
    },
    unset(name, labels) {
      try {
        metrics.unset(name, labels);
      } catch (error) {
        lost(error);
      }
    },
    observe(name, labels, seconds) {
      try {
        metrics.observe(name, labels, seconds);
      } catch (error) {
        lost(error);
      }
    },
  };
}
