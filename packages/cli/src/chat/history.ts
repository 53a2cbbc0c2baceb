import {
  appendFileSync,
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';

import { draftOf, type Draft } from '../keyboard/draft.ts';
import type { Browsing } from '../keyboard/message-line.ts';

/** The messages of this and earlier chats. */
export interface History {
  /**
   * Adds a text, unless it is blank, repeats the last one, or begins with a space, which people type to keep secrets out.
   */
  add(text: string): void;
  /** Starts to browse the current history. */
  browse(): Browsing;
}

const most = 1000;
/** The most characters of a text that is stored in the file. */
const longest = 10_000;

export interface FileHistoryParts {
  /** Removes secrets from a text before it is stored. */
  readonly redact: (text: string) => string;
  /** Called once if the file cannot be read or written; the history then lasts only for this chat. */
  readonly onTrouble: (error: unknown) => void;
}

/** Stores the history in a file that only its owner can read, one JSON string per line. */
export function fileHistory(path: string, { redact, onTrouble }: FileHistoryParts): History {
  let keeps = true;
  const attempt = <T>(what: () => T, fallback: T): T => {
    try {
      return what();
    } catch (error) {
      keeps = false;
      onTrouble(error);
      return fallback;
    }
  };
  const texts = attempt(() => load(path), []);
  return {
    add(text) {
      if (text.trim() === '' || text.startsWith(' ') || text === texts.at(-1)) return;
      texts.push(text);
      if (keeps && text.length <= longest) attempt(() => append(path, redact(text)), undefined);
    },
    browse: () => browse([...texts]),
  };
}

function browse(texts: readonly string[]): Browsing {
  // The last entry is the current draft.
  const drafts = [...texts, ''];
  let at = texts.length;
  const go = (now: Draft, to: number): Draft => {
    if (drafts[to] === undefined) return now;
    drafts[at] = now.text;
    at = to;
    return draftOf(drafts[to]);
  };
  return { older: (now) => go(now, at - 1), newer: (now) => go(now, at + 1) };
}

function load(path: string): string[] {
  const lines = read(path).split('\n').slice(0, -1);
  const texts = lines.flatMap(parseLine).slice(-most);
  // Rewrites the file if it is too long.
  if (lines.length > 2 * most) writeFileSync(path, texts.map(toLine).join(''), { mode: 0o600 });
  return texts;
}

function read(path: string): string {
  let file: number;
  try {
    // A pipe in place of the file must not block the chat.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
  try {
    if (!fstatSync(file).isFile()) throw new Error(`${path} is not a regular file`);
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}

function append(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  appendFileSync(path, toLine(text), { mode: 0o600 });
}

function toLine(text: string): string {
  return `${JSON.stringify(text)}\n`;
}

function parseLine(line: string): string[] {
  try {
    const text: unknown = JSON.parse(line);
    return typeof text === 'string' ? [text] : [];
  } catch {
    // Skips an incomplete line.
    return [];
  }
}
