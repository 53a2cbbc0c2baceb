import { shortPath } from '../terminal/place.ts';
import type { Screen } from '../terminal/screen.ts';

/** Returns a line that shows a change of a file. */
export function changeLine(path: string, what: string, { io }: Screen): string {
  return `${shortPath(path, io.cwd)}  ${what}`.trimEnd();
}
