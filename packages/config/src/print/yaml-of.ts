import { writeYaml } from './write-yaml.js';
import { nodeOfData } from './yaml-node.js';

/**
 * Plain data as a YAML document: what JSON can say, with an indent of two and a line feed at the end. Texts that a
 * reader could take for something else are quoted.
 */
export function yamlOf(data: Readonly<Record<string, unknown>>): string {
  const entries = Object.entries(data).filter(([, value]) => value !== undefined);
  return writeYaml({ kind: 'map', entries: entries.map(([key, value]) => [key, nodeOfData(value)]) });
}
