import { basename, extname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';

import { isMap, isScalar, isSeq, parseDocument, type YAMLMap, type YAMLSeq } from 'yaml';

import { isShallotError } from '../../base/errors.ts';
import { isObject } from '../../base/is-object.ts';
import { configFormats } from '../read/config-formats.ts';
import { parseYaml } from '../read/parse-yaml.ts';
import { contentEnd, lineEnd, lineStart, startOf } from './content-end.ts';
import { blockEntry, flowEntry, jsonEntry, type NewEntry } from './new-entry.ts';

/** The changed text of a config, and the line of the change, from 1. */
export interface EditedConfig {
  readonly text: string;
  readonly line: number;
}

/** An entry of `plugins` as written in the file. */
export interface WrittenEntry {
  readonly use: unknown;
  readonly id: unknown;
}

/**
 * Adds a plugin at the end of the list in a config file; all other text stays unchanged. Returns undefined for a config
 * in code, and for one that cannot be edited in place, for example because the list is an alias.
 */
export function addPluginEntry(text: string, file: string, entry: NewEntry): EditedConfig | undefined {
  return edit(text, file, (config, source) => {
    const list = config.value('plugins');
    return {
      change: insertion(config, list, entry, source),
      plugins: [...(list.written ?? []), entry],
    };
  });
}

/**
 * Removes the entries for which `isMeant` returns true; all other text stays unchanged. Returns undefined if there are
 * none, and in the cases of `addPluginEntry`.
 */
export function removePluginEntries(
  text: string,
  file: string,
  isMeant: (entry: WrittenEntry) => boolean,
): EditedConfig | undefined {
  const edited = edit(text, file, (config, source) => {
    const { node, written = [] } = config.value('plugins');
    const index = written.findLastIndex((entry) => isMeant(asEntry(entry)));
    if (index === -1 || !isSeq(node)) return undefined;
    return { change: removal(config, node, index, source), plugins: written.toSpliced(index, 1) };
  });
  if (edited === undefined) return undefined;
  return removePluginEntries(edited.text, file, isMeant) ?? edited;
}

/** Returns the entries of `plugins` in a config file; undefined for code and for invalid files. */
export function pluginEntries(text: string, file: string): readonly WrittenEntry[] | undefined {
  const config = readMap(text, file);
  return config && (config.value('plugins').written ?? []).map(asEntry);
}

/** Returns an entry as an object; a name becomes `use`. */
function asEntry(entry: unknown): WrittenEntry {
  return isObject(entry) ? { use: entry['use'], id: entry['id'] } : { use: entry, id: undefined };
}

interface Change {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

interface Wanted {
  readonly change: Change | undefined;
  /** The expected list after the change. */
  readonly plugins: readonly unknown[];
}

/** Applies a change, and verifies that the changed text parses to the expected config. Returns undefined otherwise. */
function edit(
  text: string,
  file: string,
  make: (config: ConfigMap, text: string) => Wanted | undefined,
): EditedConfig | undefined {
  const before = readMap(text, file);
  if (before === undefined) return undefined;
  const wanted = make(before, text);
  if (wanted?.change === undefined) return undefined;
  const { from, to, text: inserted } = wanted.change;
  const edited = `${text.slice(0, from)}${inserted}${text.slice(to)}`;
  const after = readMap(edited, file);
  const expected = { ...before.all, plugins: wanted.plugins };
  if (after === undefined || !isDeepStrictEqual(after.all, expected)) return undefined;
  const changed = edited.slice(0, from + inserted.length);
  return { text: edited, line: (inserted === '' ? changed : changed.trimEnd()).split('\n').length };
}

/** The config object in a file; in a package.json it is a member. */
interface ConfigMap {
  readonly map: YAMLMap | undefined;
  readonly isJson: boolean;
  readonly all: Readonly<Record<string, unknown>>;
  value(key: string): { readonly node: unknown; readonly written: readonly unknown[] | undefined };
}

function readMap(text: string, file: string): ConfigMap | undefined {
  const format = Object.entries(configFormats).find(([ending]) => ending === extname(file))?.[1];
  if (format !== 'yaml' && format !== 'json') return undefined;
  const whole = valueOf(text, file);
  const inManifest = basename(file) === 'package.json';
  const all = inManifest && isObject(whole) ? whole['shallot'] : (whole ?? {});
  const document = parseDocument(text, { prettyErrors: false });
  const map: unknown = inManifest ? document.get('shallot') : document.contents;
  if (!isObject(all) || !(isMap(map) || map === null)) return undefined;
  return {
    map: map ?? undefined,
    isJson: format === 'json',
    all,
    value(key) {
      const written = all[key];
      return { node: map?.get(key, true), written: Array.isArray(written) ? written : undefined };
    },
  };
}

/** Returns the parsed value of a config; false if it cannot be parsed. */
function valueOf(text: string, file: string): unknown {
  try {
    return parseYaml(text, file).value;
  } catch (error) {
    if (!isShallotError(error)) throw error;
    return false;
  }
}

function insertion(
  { map, isJson }: ConfigMap,
  list: ReturnType<ConfigMap['value']>,
  entry: NewEntry,
  text: string,
): Change | undefined {
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  const name = isJson ? jsonEntry(entry) : flowEntry(entry);
  const block = (before: string): string => (isJson ? name : blockEntry(entry, before, newline));
  const insert = (at: number, inserted: string): Change => ({ from: at, to: at, text: inserted });
  const { node } = list;
  if (isSeq(node)) {
    const last: unknown = node.items.at(-1);
    if (last === undefined) return { from: startOf(node), to: contentEnd(node), text: `[${name}]` };
    if (node.flow !== true) {
      const dashes = text.slice(lineStart(text, startOf(node)), startOf(node));
      return insert(lineEnd(text, contentEnd(last)), `${newline}${dashes}- ${block(dashes)}`);
    }
    return insertBetween(text, last, contentEnd(node), name, newline);
  }
  if (map === undefined) {
    const gap = text === '' || text.endsWith('\n') ? '' : newline;
    return insert(text.length, `${gap}plugins:${newline}  - ${block('  ')}${newline}`);
  }
  const pair = map.items.find(({ key }) => isScalar(key) && key.value === 'plugins');
  if (pair !== undefined) {
    if (!isScalar(node) || node.value !== null) return undefined;
    if (contentEnd(node) > startOf(node))
      return { from: startOf(node), to: contentEnd(node), text: `[${name}]` };
    const indent = text.slice(lineStart(text, startOf(pair.key)), startOf(pair.key));
    return insert(lineEnd(text, contentEnd(pair.key)), `${newline}${indent}  - ${block(`${indent}  `)}`);
  }
  const last = map.items.at(-1);
  if (last === undefined) {
    return { from: startOf(map), to: contentEnd(map), text: `{ ${JSON.stringify('plugins')}: [${name}] }` };
  }
  if (map.flow === true) {
    return insertBetween(text, last, contentEnd(map), `${JSON.stringify('plugins')}: [${name}]`, newline);
  }
  const indent = text.slice(lineStart(text, startOf(map)), startOf(map));
  const end = lineEnd(text, contentEnd(last));
  return insert(
    end,
    `${newline}${indent}plugins:${newline}${indent}  - ${block(`${indent}  `)}${end === text.length ? newline : ''}`,
  );
}

/** Inserts after the last item of a flow list or object; on a new line if the last item is on its own line. */
function insertBetween(text: string, last: unknown, end: number, inserted: string, newline: string): Change {
  const before = text.slice(lineStart(text, startOf(last)), startOf(last));
  const comma = text.slice(contentEnd(last), end).indexOf(',');
  const at = contentEnd(last) + comma + 1;
  const gap = /^\s*$/.test(before) && startOf(last) > 0 ? `${newline}${before}` : ' ';
  return { from: at, to: at, text: `${comma === -1 ? ',' : ''}${gap}${inserted}` };
}

function removal({ map }: ConfigMap, node: YAMLSeq, index: number, text: string): Change | undefined {
  const { items } = node;
  const item = items[index];
  if (items.length === 1) {
    if (node.flow === true) return { from: startOf(node), to: contentEnd(node), text: '[]' };
    // Also removes the comments of the list.
    const pair = map?.items.find(({ value }) => value === node);
    return pair === undefined
      ? undefined
      : { from: contentEnd(pair.key), to: contentEnd(node), text: ': []' };
  }
  if (node.flow === true) {
    return index < items.length - 1
      ? { from: startOf(item), to: startOf(items[index + 1]), text: '' }
      : { from: contentEnd(items[index - 1]), to: contentEnd(item), text: '' };
  }
  const from = dashLine(text, startOf(item), text.slice(lineStart(text, startOf(node)), startOf(node)));
  const end = lineEnd(text, contentEnd(item));
  const rest = text.slice(end).replace(/^\r?\n/, '');
  return { from, to: text.length - rest.length, text: '' };
}

/** Returns the start of the line with an item's dash, which may be above the item because of an anchor or comment. */
function dashLine(text: string, offset: number, indent: string): number {
  return text.lastIndexOf(`\n${indent}-`, offset) + 1;
}
