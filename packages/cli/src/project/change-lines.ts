import { shortPath } from '../terminal/place.ts';
import type { Screen } from '../terminal/screen.ts';

/** A line that shows what a change does to a file. */
export function changeLine(path: string, what: string, { io }: Screen): string {
  return `${shortPath(path, io.cwd)}  ${what}`.trimEnd();
}
