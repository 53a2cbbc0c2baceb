import { ShallotError } from '../../base/errors.ts';
import type { SessionAbout } from '../../contract/store.ts';

/** The limit for `about`, since every listing contains it. */
export const maxAboutBytes = 1024;

/** Returns the size of the notes of a session as JSON, in bytes. */
export function sizeOfAbout(about: SessionAbout): number {
  return Buffer.byteLength(JSON.stringify(about));
}

/** Returns the notes of a session. @throws `OPTION_INVALID` if they are too large to be part of every listing */
export function checkAbout(about: SessionAbout): SessionAbout {
  const bytes = sizeOfAbout(about);
  if (bytes < maxAboutBytes) return about;
  throw new ShallotError('OPTION_INVALID', {
    message: `The notes of a session (${Object.keys(about).join(', ')}) take ${bytes} bytes of JSON; ${maxAboutBytes} are too many. Shorten them.`,
  });
}
