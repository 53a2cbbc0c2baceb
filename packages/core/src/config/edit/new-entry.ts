import { Document } from 'yaml';

import type { JsonObject } from '../../base/json.ts';
import { flowLists } from './yaml-config.ts';

/** An entry to write: a name, or a name with options. */
export type NewEntry = string | { readonly use: string; readonly options: JsonObject };

/** Returns an entry as YAML on one line. */
export function flowEntry(entry: NewEntry): string {
  if (typeof entry === 'string') return /^[\w./-]+$/.test(entry) ? entry : JSON.stringify(entry);
  const document = new Document(entry);
  return document.toString({ collectionStyle: 'flow', lineWidth: 0 }).trimEnd();
}

/** Returns an entry as JSON on one line. */
export function jsonEntry(entry: NewEntry): string {
  return onOneLine(entry, { key: JSON.stringify, string: JSON.stringify });
}

/** Returns an entry as an object literal on one line. */
export function codeEntry(entry: NewEntry): string {
  return onOneLine(typeof entry === 'string' ? { use: entry } : entry, {
    key: (key) => (/^[a-z_]\w*$/i.test(key) ? key : JSON.stringify(key)),
    string: (text) => (/^[^'\\\p{Cc}\p{Cf}]*$/u.test(text) ? `'${text}'` : JSON.stringify(text)),
  });
}

/** Returns an entry as a block of YAML after a dash. `before` is the indentation of the dash. */
export function blockEntry(entry: NewEntry, before: string, newline: string): string {
  if (typeof entry === 'string') return flowEntry(entry);
  const document = new Document({ use: '', options: entry.options });
  flowLists(document.contents);
  const [, ...options] = document
    .toString({ lineWidth: 0, flowCollectionPadding: false })
    .trimEnd()
    .split('\n');
  const lines = [`use: ${flowEntry(entry.use)}`, ...options];
  return lines.join(`${newline}${before}  `);
}

interface Notation {
  readonly key: (key: string) => string;
  readonly string: (text: string) => string;
}

function onOneLine(value: unknown, notation: Notation): string {
  if (typeof value === 'string') return notation.string(value);
  if (Array.isArray(value)) return `[${value.map((each) => onOneLine(each, notation)).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([key, member]) => `${notation.key(key)}: ${onOneLine(member, notation)}`,
  );
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}
