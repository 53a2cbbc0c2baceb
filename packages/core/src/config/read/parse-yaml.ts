import { dirname } from 'node:path';

import {
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  type Document,
  type Node,
} from 'yaml';

import { ShallotError, type SourceLocation } from '../../base/errors.ts';
import { lineNestedDeeper } from '../../base/json/line-nested-deeper.ts';
import { messageOf } from '../../base/thrown.ts';
import type { ConfigPath, ConfigSource, Locate } from '../modules/locate.ts';
import { explainYaml } from './explain-yaml.ts';

/** Limits for the size and nesting of a config, far beyond realistic files. */
const limits = { characters: 256 * 1024, depth: 200, aliases: 100 };

/**
 * Parses YAML 1.2, including JSON, with the location of each value. Rejects duplicate keys, keys that are not strings,
 * `__proto__`, unknown tags, and texts that are too large, too deep, or expand too much through aliases. @throws
 * `CONFIG_SYNTAX`
 */
export function parseYaml(text: string, file: string): ConfigSource {
  refuseExtremes(text, file);
  const lines = new LineCounter();
  // Duplicate keys are checked below, because the parser's check is quadratic.
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: false, prettyErrors: false });
  const placeOf = (offset: number): SourceLocation => {
    const { line, col } = lines.linePos(offset);
    return { file, line, column: col };
  };
  const [problem, ...others] = [...document.errors, ...document.warnings];
  if (problem !== undefined) {
    const { what, offset } = explainYaml([problem, ...others], text);
    throw syntaxError(what, placeOf(offset), problem);
  }
  checkNode(document, document.contents, placeOf);
  return {
    file,
    directory: dirname(file),
    value: toValue(document, file),
    locate: locateIn(document, placeOf, file),
  };
}

function toValue(document: Document, file: string): unknown {
  try {
    const value: unknown = document.toJS({ maxAliasCount: limits.aliases });
    return value;
  } catch (error) {
    throw syntaxError(`${messageOf(error)}; write the values out instead of using aliases`, { file }, error);
  }
}

function refuseExtremes(text: string, file: string): void {
  if (text.length > limits.characters) {
    throw syntaxError(`it has ${text.length} characters; the limit is ${limits.characters}`, { file });
  }
  const line = lineNestedDeeper(text, limits.depth);
  if (line !== undefined) {
    throw syntaxError(`it is nested more than ${limits.depth} levels deep`, { file, line });
  }
}

type PlaceOf = (offset: number) => SourceLocation;

function checkNode(
  document: Document,
  node: unknown,
  placeOf: PlaceOf,
  parents: readonly unknown[] = [],
): void {
  if (isAlias(node)) {
    if (node.resolve(document) === undefined) {
      const what = `there is no anchor &${node.source} before the alias *${node.source}`;
      throw syntaxError(`${what}; put a string that starts with "*" in quotes`, placeOf(startOf(node)));
    }
    if (!parents.includes(node.resolve(document))) return;
    throw syntaxError(
      `the alias *${node.source} is inside the value that it refers to`,
      placeOf(startOf(node)),
    );
  }
  if (isSeq(node)) {
    for (const item of node.items) checkNode(document, item, placeOf, [...parents, node]);
  }
  if (!isMap(node)) return;
  const keys = new Map<string, number>();
  for (const { key, value } of node.items) {
    const start = isNode(key) ? startOf(key) : startOf(node);
    if (!isScalar(key)) throw syntaxError('a key is not a plain word', placeOf(start));
    const name = String(key.value);
    if (name === '<<') {
      throw syntaxError('merge keys ("<<") are not supported; write the keys out', placeOf(start));
    }
    if (name === '__proto__') throw syntaxError('the key "__proto__" is not allowed', placeOf(start));
    const first = keys.get(name);
    if (first !== undefined) {
      const { line } = placeOf(first);
      throw syntaxError(
        `the key "${name}" is a duplicate of line ${line}; remove one of them`,
        placeOf(start),
      );
    }
    keys.set(name, start);
    checkNode(document, value, placeOf, [...parents, node]);
  }
}

function startOf(node: Node): number {
  return node.range?.[0] ?? 0;
}

function locateIn(document: Document, placeOf: PlaceOf, file: string): Locate {
  return (path, part = 'value') => {
    if (path.length === 0) return document.contents === null ? { file } : placeOf(startOf(document.contents));
    const nodes = nodesAlong(document, path);
    const found = nodes.length === path.length ? nodes.at(-1) : undefined;
    const node = (part === 'key' ? found?.key : undefined) ?? nodes.at(-1)?.value ?? nodes.at(-1)?.key;
    return node === undefined ? { file } : placeOf(startOf(node));
  };
}

interface Child {
  readonly key: Node | undefined;
  readonly value: Node | undefined;
}

/** Returns the nodes along a path, as far as it exists. */
function nodesAlong(document: Document, path: ConfigPath): Child[] {
  const nodes: Child[] = [];
  let current: unknown = document.contents;
  for (const segment of path) {
    if (isAlias(current)) current = current.resolve(document);
    const child = childOf(current, segment);
    if (child === undefined) break;
    nodes.push(child);
    current = child.value;
  }
  return nodes;
}

function childOf(node: unknown, segment: string | number): Child | undefined {
  if (isSeq(node) && typeof segment === 'number') {
    const item = node.items[segment];
    return isNode(item) ? { key: undefined, value: item } : undefined;
  }
  if (!isMap(node)) return undefined;
  const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(segment));
  if (pair === undefined) return undefined;
  return {
    key: isNode(pair.key) ? pair.key : undefined,
    value: isNode(pair.value) ? pair.value : undefined,
  };
}

function syntaxError(what: string, at: SourceLocation, cause?: unknown): ShallotError {
  const message = `The config cannot be parsed: ${what.replaceAll(/\s+/g, ' ').trim()}.`;
  return new ShallotError('CONFIG_SYNTAX', { message, at, cause });
}
