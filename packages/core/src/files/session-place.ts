import { ShallotError } from '../base/errors.ts';
import { splitPath } from './path.ts';
import { safeName } from './safe-name.ts';

/** A place where a plugin keeps one file or folder for each session. */
export interface SessionPlace {
  /** An absolute path in the agent's files. */
  readonly directory: string;
  /** The extension of a file, such as `.md`. Default: none, and each session has a folder. */
  readonly extension?: string;
}

/** Directories that contain only files of sessions, whichever plugins are registered. */
export const sessionDirectories: readonly string[] = ['/conversation_history'];

/** The place of tool results that were too large for the conversation: a folder per session, out of reach for tools. */
export const resultPlace: SessionPlace = Object.freeze({ directory: '/.shallot/results' });

const extensionForm = /^\.[a-z0-9]+$/;

/** Returns the path of a session's file or folder in a place; that of a folder ends with `/`. */
export function pathIn({ directory, extension = '/' }: SessionPlace, sessionId: string): string {
  return `${directory.replace(/\/+$/, '')}/${safeName(sessionId)}${extension}`;
}

/**
 * Returns true for the path of a session's file or folder in one of these places, or in a directory for sessions. A
 * record may come from anywhere, and must not name other files for removal.
 */
export function isPathOf(path: unknown, sessionId: string, places: readonly SessionPlace[]): path is string {
  if (typeof path !== 'string') return false;
  if ([resultPlace, ...places].some((place) => pathIn(place, sessionId) === path)) return true;
  return sessionDirectories.some((directory) => {
    const begin = pathIn({ directory, extension: '' }, sessionId);
    const end = path.slice(begin.length);
    return path.startsWith(begin) && (end === '/' || extensionForm.test(end));
  });
}

/** @throws `OPTION_INVALID` for an invalid place */
export function checkPlace(place: SessionPlace, plugin: string): void {
  const { directory, extension } = place;
  try {
    splitPath(directory, 'directory');
  } catch (cause) {
    throw new ShallotError('OPTION_INVALID', {
      message: `${plugin} declared a session path in ${JSON.stringify(directory)}. Write an absolute path, such as "/notes".`,
      plugin,
      cause,
    });
  }
  if (extension === undefined || extensionForm.test(extension)) return;
  throw new ShallotError('OPTION_INVALID', {
    message: `${plugin} declared a session path with the extension ${JSON.stringify(extension)}. Write a dot and lower-case letters or digits, such as ".md".`,
    plugin,
  });
}
