import { lineNestedDeeper } from '@shallot/core/plugin';
import {
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  visit,
  type Document,
  type Node,
  type YAMLMap,
} from 'yaml';

import type { Position } from './position.ts';
import { quoteBrokenValues } from './quote-broken-values.ts';

/** Limits far beyond the front matter of any skill; text within them is parsed in milliseconds. */
const limits = { characters: 32 * 1024, depth: 64, aliases: 100, values: 10_000 };

/** Matches the spellings of null. */
const isNull = /^(?:~|null|Null|NULL)$/;

/** A YAML value in which every scalar is a string, as written: `1.10` stays `1.10`. */
export type YamlValue = string | readonly YamlValue[] | { readonly [key: string]: YamlValue };

/** The value of one key, with its place. */
export interface Field {
  readonly value: YamlValue;
  /** The text of the value as it stands in the file. */
  readonly source: string;
  readonly at: Position;
  readonly keyAt: Position;
}

/** A map of YAML, and the faults that were overlooked to read it. */
export interface ParsedYaml {
  readonly fields: ReadonlyMap<string, Field>;
  readonly oddities: readonly Remark[];
}

export interface Remark {
  readonly message: string;
  readonly at: Position;
}

/** The reason why a text cannot be read, with its position. */
export class YamlProblem extends Error {
  override readonly name = 'YamlProblem';
  readonly at: Position;

  constructor(message: string, at: Position) {
    super(message);
    this.at = at;
  }
}

/**
 * Parses a map of YAML in which all scalars are text. Values that break it because they lack quotes are read as if
 * they had them; the last of several equal keys counts. Nothing in it can run code, because unknown tags are only
 * text.
 * @throws `YamlProblem` for broken YAML, and quickly for text that is too long, too deep, or grows through aliases
 */
export function parseYaml(text: string): ParsedYaml {
  refuseExtremes(text);
  const first = parse(text);
  if (first.problem === undefined) return readMap(first, []);
  const { text: quoted, places } = quoteBrokenValues(text, isBroken);
  const second = places.length === 0 ? first : parse(quoted);
  if (second.problem !== undefined) throw second.problem;
  return readMap(
    second,
    places.map(({ key, at }) => ({ message: `the value of "${key}" breaks the YAML; put it in quotes`, at })),
  );
}

interface Parsed {
  readonly text: string;
  readonly document: Document.Parsed;
  readonly positionOf: (offset: number) => Position;
  readonly problem: YamlProblem | undefined;
}

function parse(text: string): Parsed {
  const lineCounter = new LineCounter();
  // Keys are compared below, because the parser compares each key with all others, which takes seconds for a long
  // map.
  const document = parseDocument(text, {
    schema: 'failsafe',
    lineCounter,
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: 'silent',
  });
  const positionOf = (offset: number): Position => {
    const { line, col } = lineCounter.linePos(offset);
    return { line, column: col };
  };
  const [error] = [...document.errors, ...document.warnings];
  const problem = error && new YamlProblem(oneLine(error.message), positionOf(error.pos[0]));
  return { text, document, positionOf, problem: problem ?? loneAlias(document, positionOf) };
}

/** Finds an alias of nothing, which the parser accepts. Text such as `*important*` is usually meant. */
function loneAlias(document: Document, positionOf: Parsed['positionOf']): YamlProblem | undefined {
  const anchors = new Set<string>();
  let found: YamlProblem | undefined;
  visit(document, {
    Node(_, node) {
      if (!isAlias(node)) {
        if (node.anchor !== undefined) anchors.add(node.anchor);
      } else if (!anchors.has(node.source)) {
        found = new YamlProblem(`there is no anchor "${node.source}"`, positionOf(startOf(node)));
        return visit.BREAK;
      }
      return undefined;
    },
  });
  return found;
}

function isBroken(text: string): boolean {
  return parse(text).problem !== undefined;
}

function readMap({ text, document, positionOf }: Parsed, quoted: readonly Remark[]): ParsedYaml {
  const { contents } = document;
  const oddities = [...quoted];
  const fields = new Map<string, Field>();
  if (contents === null) return { fields, oddities };
  if (!isMap(contents)) throw new YamlProblem('it is not a map of keys and values', { line: 1, column: 1 });
  const toValue = valueReader(document, positionOf);
  for (const { key, value } of contents.items) {
    const name = keyOf(key, positionOf);
    const keyAt = positionOf(startOf(key));
    if (fields.has(name)) oddities.push({ message: `the key "${name}" is a duplicate`, at: keyAt });
    const source = isNode(value) && value.range ? text.slice(value.range[0], value.range[1]) : '';
    fields.set(name, {
      value: toValue(value, 1),
      source,
      at: source === '' ? keyAt : positionOf(startOf(value)),
      keyAt,
    });
  }
  return { fields, oddities };
}

/**
 * Returns a function that converts nodes to plain values, within limits that also apply to values multiplied by
 * aliases.
 */
function valueReader(
  document: Document,
  positionOf: Parsed['positionOf'],
): (node: unknown, depth: number) => YamlValue {
  let values = 0;
  let aliases = 0;
  const toValue = (node: unknown, depth: number): YamlValue => {
    values += 1;
    const fail = (message: string): YamlProblem => new YamlProblem(message, positionOf(startOf(node)));
    if (values > limits.values) throw fail(`it has more than ${limits.values} values, including aliases`);
    if (depth > limits.depth) throw fail(`it is nested more than ${limits.depth} levels deep`);
    if (isAlias(node)) {
      aliases += 1;
      if (aliases > limits.aliases) throw fail(`it has more than ${limits.aliases} aliases`);
      return toValue(node.resolve(document), depth + 1);
    }
    if (isSeq(node)) return node.items.map((item) => toValue(item, depth + 1));
    if (isMap(node)) return Object.fromEntries(entriesOf(node, depth));
    if (!isScalar(node) || typeof node.value !== 'string') return '';
    return node.type === 'PLAIN' && isNull.test(node.value) ? '' : node.value;
  };
  const entriesOf = (node: YAMLMap, depth: number): [string, YamlValue][] =>
    node.items.map(({ key, value }) => [keyOf(key, positionOf), toValue(value, depth + 1)]);
  return toValue;
}

function keyOf(key: unknown, positionOf: Parsed['positionOf']): string {
  if (!isScalar(key)) throw new YamlProblem('a key is not a plain word', positionOf(startOf(key)));
  const name = String(key.value);
  if (name === '__proto__') {
    throw new YamlProblem('the key "__proto__" is not allowed', positionOf(startOf(key)));
  }
  return name;
}

function refuseExtremes(text: string): void {
  if (text.length > limits.characters) {
    throw new YamlProblem(`it has ${text.length} characters; the limit is ${limits.characters}`, {
      line: 1,
      column: 1,
    });
  }
  const line = lineNestedDeeper(text, limits.depth);
  if (line !== undefined) {
    throw new YamlProblem(`it is nested more than ${limits.depth} levels deep`, { line, column: 1 });
  }
}

function startOf(node: unknown): number {
  return isNode(node) ? ((node as Node).range?.[0] ?? 0) : 0;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
