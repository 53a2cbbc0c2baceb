import type { SourceLocation } from '../../base/errors.ts';

/** The path of a value within a config: `['plugins', 2, 'priority']`. */
export type ConfigPath = readonly (string | number)[];

/**
 * Returns the location of a value, or of its key, in its file. A value without a location gets that of its nearest
 * parent.
 */
export type Locate = (path: ConfigPath, part?: 'key' | 'value') => SourceLocation;

/** A config file as read, before references are replaced, and before merging and validation. */
export interface ConfigSource {
  readonly file: string;
  /** The directory to which relative names in the file refer. */
  readonly directory: string;
  readonly value: unknown;
  readonly locate: Locate;
}

/** A value of a config, with the directory to resolve its names from, and its location. */
export interface Mention<T> {
  readonly value: T;
  readonly directory: string;
  /** Returns the location of the value, or of a path inside it. */
  readonly locate: (path?: ConfigPath, part?: 'key' | 'value') => SourceLocation;
}

/** Returns the line and column, from 1, of an offset in a text. */
export function positionAt(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset);
  const line = before.split('\n').length;
  return { line, column: offset - before.lastIndexOf('\n') };
}

/** Returns `plugins[2].priority`, for messages. */
export function formatPath(path: ConfigPath): string {
  return path.reduce<string>((text, segment) => {
    if (typeof segment === 'number') return `${text}[${segment}]`;
    return text === '' ? segment : `${text}.${segment}`;
  }, '');
}
