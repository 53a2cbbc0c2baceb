import type { SourceLocation } from '../../base/errors.ts';

/** The way to a value inside a config: `['plugins', 2, 'priority']`. */
export type ConfigPath = readonly (string | number)[];

/** Finds the place of a value, or of its key, in the file that it came from; of its nearest parent if it has none. */
export type Locate = (path: ConfigPath, part?: 'key' | 'value') => SourceLocation;

/** One config file, as it was read: nothing is filled in, merged or checked. */
export interface ConfigSource {
  readonly file: string;
  /** What relative names in the file are relative to. */
  readonly directory: string;
  readonly value: unknown;
  readonly locate: Locate;
}

/** A value of a config, with what is needed to resolve the names in it and to say where it stands. */
export interface Mention<T> {
  readonly value: T;
  readonly directory: string;
  /** The place of the value, or of something inside it. */
  readonly locate: (path?: ConfigPath, part?: 'key' | 'value') => SourceLocation;
}

/** Line and column, from 1, of an offset in a text. */
export function positionAt(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset);
  const line = before.split('\n').length;
  return { line, column: offset - before.lastIndexOf('\n') };
}

/** `plugins[2].priority`, for messages. */
export function formatPath(path: ConfigPath): string {
  return path.reduce<string>((text, segment) => {
    if (typeof segment === 'number') return `${text}[${segment}]`;
    return text === '' ? segment : `${text}.${segment}`;
  }, '');
}
