import { relative } from 'node:path';

import type { PlainCommand } from '../line/plain-line.ts';

/** Returns true for `cd DIRECTORY`. */
export function isMove([program, directory, ...rest]: PlainCommand): boolean {
  return (
    program?.text === 'cd' &&
    directory?.isMany === false &&
    !directory.text.startsWith('-') &&
    rest.length === 0
  );
}

/** Returns true if `cd DIRECTORY` stays below the directory in which commands start. */
export function staysBelow([, directory]: PlainCommand, root: string | undefined): boolean {
  if (directory === undefined || directory.isOpen) return false;
  const { text } = directory;
  const isNamed = !/^~|(?:^|\/)\.\.(?:\/|$)/.test(text);
  if (!text.startsWith('/')) return isNamed;
  return isNamed && root !== undefined && root !== '' && !/^\.\.(?:\/|$)/.test(relative(root, text));
}
