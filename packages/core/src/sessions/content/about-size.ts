import type { SessionAbout } from '../../contract/store.ts';

/** The limit for `about`, since every listing contains it. */
export const maxAboutBytes = 1024;

/** Returns the size of the notes of a session as JSON, in bytes. */
export function sizeOfAbout(about: SessionAbout): number {
  return Buffer.byteLength(JSON.stringify(about));
}
