// Writes src/zone-names.ts from the host's zone database: `pnpm zone-names`, with a current tzdata installed.
import { readFileSync, writeFileSync } from 'node:fs';

const database = readFileSync('/usr/share/zoneinfo/tzdata.zi', 'utf8');
const release = /^# version (\S+)/.exec(database)?.[1] ?? 'unknown';
const names = new Set();
for (const line of database.split('\n')) {
  const [kind, first, second] = line.split(' ');
  if (kind === 'Z') names.add(first);
  if (kind === 'L') names.add(second);
}

const areas = new Map();
for (const name of [...names].sort()) {
  const slash = name.indexOf('/');
  if (slash === -1) continue;
  const area = name.slice(0, slash);
  areas.set(area, [...(areas.get(area) ?? []), name.slice(slash + 1)]);
}

const lines = [...areas].map(([area, places]) => `  ${area}:\n    '${places.join(' ')}',`);
writeFileSync(
  new URL('../src/zone-names.ts', import.meta.url),
  `// Written by tools/zone-names.mjs from tzdata ${release}.

/** Every zone and link of the IANA database that has an area, by area, without it. */
export const ZONE_NAMES: Readonly<Record<string, string>> = {
${lines.join('\n')}
};
`,
);
