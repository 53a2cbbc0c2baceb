import type { OutputUnit } from '@cfworker/json-schema';

/**
 * What is wrong with a value, without what only says that something further in is wrong; of a key that may not be there,
 * only that. In time that grows with the number of units.
 */
export function leafIssues(units: readonly OutputUnit[]): OutputUnit[] {
  const places = new Set(units.map(({ keywordLocation }) => keywordLocation));
  const outer = new Set([...places].flatMap(outsideOf));
  const names = new Set(
    units.flatMap(({ keyword, keywordLocation }) => (keyword === 'propertyNames' ? keywordLocation : [])),
  );
  return units.filter(({ keyword, keywordLocation: place }) => {
    if (names.size > 0 && outsideOf(place).some((each) => names.has(each))) return false;
    if (keyword === 'propertyNames') return true;
    // What is wrong with "then" or "else" stands beside the "if".
    if (keyword === 'if') return !hasBeside(places, place);
    return !outer.has(place);
  });
}

/** The places that a place stands inside of. */
function outsideOf(place: string): string[] {
  const outside: string[] = [];
  for (let at = place.lastIndexOf('/'); at > 0; at = place.lastIndexOf('/', at - 1))
    outside.push(place.slice(0, at));
  return outside;
}

function hasBeside(places: ReadonlySet<string>, place: string): boolean {
  const inside = place.slice(0, -'if'.length);
  for (const other of places) if (other !== place && other.startsWith(inside)) return true;
  return false;
}
