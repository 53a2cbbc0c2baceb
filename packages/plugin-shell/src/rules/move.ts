import { relative } from 'node:path';

import type { PlainCommand } from '../line/plain-line.ts';
import type { PlainWord } from '../line/plain-word.ts';

/** Returns true for `cd DIRECTORY`. */
export function isMove([program, directory, ...rest]: PlainCommand): boolean {
  return (
    program?.text === 'cd' &&
    directory?.isMany === false &&
    !directory.text.startsWith('-') &&
    rest.length === 0
  );
}

/** The most directories from which a line is judged. */
const maxPlaces = 100;

/**
 * Returns all directories in which commands may start after these moves; undefined if there are too many. The place
 * before a move stays in the list, because a move in brackets does not last, and a move after a failed command is not
 * executed.
 */
export function placesAfter(
  moves: PlainCommand,
  start: string,
  entering: (place: string, move: PlainWord) => readonly string[] | undefined,
): readonly string[] | undefined {
  const places = new Set([start]);
  for (const move of moves)
    for (const place of Array.from(places)) {
      const paths = entering(place, move);
      if (paths === undefined || places.size + paths.length > maxPlaces) return undefined;
      for (const path of paths) places.add(path);
    }
  return [...places];
}

/** Returns true if `cd DIRECTORY` stays below the directory in which commands start. */
export function staysBelow([, directory]: PlainCommand, root: string | undefined): boolean {
  if (directory === undefined || directory.isOpen) return false;
  const { text } = directory;
  const isNamed = !/^~|(?:^|\/)\.\.(?:\/|$)/.test(text);
  if (!text.startsWith('/')) return isNamed;
  return isNamed && root !== undefined && root !== '' && !/^\.\.(?:\/|$)/.test(relative(root, text));
}
