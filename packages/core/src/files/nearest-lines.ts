/** The maximum number of lines to show, and of characters per line. */
const maxLines = 10;
const maxLength = 160;
/** A line that occurs more often in a text is not used to find a passage. */
const maxPlaces = 100;

/**
 * Returns the lines of a text that are most similar to a passage, with their numbers: the place where most lines of the
 * passage match, whatever their indentation. Returns undefined if none matches.
 */
export function nearestLines(text: string, passage: string): string | undefined {
  const lines = text.split('\n');
  const wanted = passage.split('\n').map((line) => line.trim());
  const places = new Map<string, number[]>();
  for (const [index, line] of lines.entries()) {
    const known = places.get(line.trim());
    if (known === undefined) places.set(line.trim(), [index]);
    else known.push(index);
  }
  const votes = new Map<number, number>();
  for (const [offset, line] of wanted.entries()) {
    const found = places.get(line) ?? [];
    // Lines such as `}`, and others that occur everywhere, do not indicate a place.
    if (!/\w{2}/.test(line) || found.length > maxPlaces) continue;
    for (const index of found) votes.set(index - offset, (votes.get(index - offset) ?? 0) + 1);
  }
  const [best] = [...votes].toSorted(([, one], [, other]) => other - one);
  if (best === undefined) return undefined;
  const first = Math.max(0, best[0]);
  return lines
    .slice(first, first + Math.min(wanted.length, maxLines))
    .map((line, index) => `${first + index + 1}: ${line.trimEnd().slice(0, maxLength)}`)
    .join('\n');
}
