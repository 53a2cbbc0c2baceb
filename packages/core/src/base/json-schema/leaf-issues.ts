import type { OutputUnit } from '@cfworker/json-schema';

/**
 * Returns the innermost issues of a value: those that only report an inner fault are omitted, and an unknown key is
 * reported once. Takes time linear in the number of units.
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
    // A fault in "then" or "else" is reported next to the "if".
    if (keyword === 'if') return !hasBeside(places, place);
    return !outer.has(place);
  });
}

/** Returns the locations that enclose a location. */
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
