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

import { draftOf, type Draft } from './draft.ts';

/** What was written before, in this and in earlier chats. */
export interface History {
  /** Remembers a text, unless it is the last one again, or begins with a space: that is how one keeps a secret out. */
  add(text: string): void;
  /** Walks through what is there now. */
  browse(): Browsing;
}

export interface Browsing {
  /** The text before; the one that is there is kept for the way back. */
  older(now: Draft): Draft;
  newer(now: Draft): Draft;
}

const most = 1000;
/** Longer ones are not kept across chats, in characters. */
const longest = 10_000;

export interface FileHistoryParts {
  /** What a text becomes before it is kept: without secrets. */
  readonly redact: (text: string) => string;
  /** Called once when the file cannot be read or written; the history is then this chat's alone. */
  readonly onTrouble: (error: unknown) => void;
}

/** Keeps the history in a file that only its owner can read: a JSON string a line. */
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
  // The last one is what is being written.
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
  // Only what is read anyway is written again, so that the file cannot grow for ever.
  if (lines.length > 2 * most) writeFileSync(path, texts.map(toLine).join(''), { mode: 0o600 });
  return texts;
}

function read(path: string): string {
  let file: number;
  try {
    // A pipe in the file's place must not make the chat wait.
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
    // A line that was cut off: the rest is still of use.
    return [];
  }
}
