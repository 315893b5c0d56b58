import { nearest } from '@rungar/model';
import { ZONE_NAMES } from './zone-names.js';

/**
 * Why a text is no time zone, if it is none: `UTC` or an IANA name with an area is wanted, spelled as the database
 * spells it, and known to this host. Abbreviations and offsets mean different things to different programs.
 */
export function checkTimeZone(name: string): string | undefined {
  if (name === 'UTC' || (isListed(name) && isKnownHere(name))) return undefined;
  const near = nearest(name, allNames());
  return `must be an IANA time zone like Europe/Vilnius or UTC${near === undefined ? '' : ` (did you mean ${near}?)`}`;
}

function isListed(name: string): boolean {
  const slash = name.indexOf('/');
  if (slash === -1) return false;
  const area = name.slice(0, slash);
  const places = Object.hasOwn(ZONE_NAMES, area) ? ZONE_NAMES[area] : undefined;
  return places?.split(' ').includes(name.slice(slash + 1)) ?? false;
}

function isKnownHere(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone });
    return true;
  } catch {
    return false;
  }
}

function* allNames(): Generator<string> {
  yield 'UTC';
  for (const [area, places] of Object.entries(ZONE_NAMES))
    for (const place of places.split(' ')) yield `${area}/${place}`;
}
