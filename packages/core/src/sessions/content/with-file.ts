import { ShallotError } from '../../base/errors.ts';
import type { SessionAbout } from '../../contract/store.ts';
import { maxAboutBytes, sizeOfAbout } from './about-size.ts';

/** Returns `about` with one more file or folder. @throws `OPTION_INVALID` if it becomes too large */
export function withFile(
  { id, about }: { readonly id: string; readonly about: SessionAbout | undefined },
  path: string,
  plugin: string,
): SessionAbout {
  const files = Object.freeze([...(about?.files ?? []), path]);
  const next = Object.freeze({ ...about, files });
  if (sizeOfAbout(next) < maxAboutBytes) return next;
  throw new ShallotError('OPTION_INVALID', {
    message: `${plugin} cannot note ${path} with session "${id}": its ${files.length - 1} files and folders, and the other notes, take almost ${maxAboutBytes} bytes. Use one folder for several files.`,
    plugin,
  });
}
