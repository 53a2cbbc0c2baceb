import { ShallotError } from './errors.ts';

export type JsonPrimitive = string | number | boolean | null;
export type JsonValue = JsonPrimitive | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** Whether a value of JSON is an object, and no list. */
export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !isJsonList(value);
}

export function isJsonList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** Nesting beyond this is refused: it would overflow the stack of whoever serialises it. */
const maxDepth = 200;

/**
 * How deep values are nested that were found to be plain JSON, and are frozen all the way down: they are not walked again.
 * Only large ones are worth the entry.
 */
const heights = new WeakMap<object, number>();
const large = 50;

/** The walk that is under way: how many objects it has come to, and how deep. */
let walked = 0;
let deepest = 0;

/**
 * Checks that `value` is plain JSON and freezes it, all the way down: what is shown, stored and executed afterwards is the
 * same. Members that are `undefined` are let pass, as `JSON.stringify` drops them; a cycle is reported as too deep.
 * @throws `VALUE_NOT_JSON` with the path of the first offending member: accessors and hidden members are such, too.
 */
export function freezeJson(value: unknown, label: string, plugin?: string): asserts value is JsonValue {
  freezeAt([], value, label, plugin);
}

/**
 * The same for an object that was made by spreading others, and for a list in it that was made by spreading others: their
 * own members are values, whatever these were.
 */
export function freezeMade(object: object, list: readonly unknown[], label: string, plugin?: string): void {
  Object.freeze(object);
  Object.freeze(list);
  const members = object as Readonly<Record<string, unknown>>;
  for (const key of Object.keys(members)) {
    const value = members[key];
    if (typeof value === 'string') continue;
    if (value !== list) freezeAt([key], value, label, plugin);
    else
      for (let index = 0; index < list.length; index += 1) freezeAt([key, index], list[index], label, plugin);
  }
  const [symbol] = Object.getOwnPropertySymbols(object);
  if (symbol !== undefined) throw notJson({ found: symbolFault, path: [String(symbol)] }, label, plugin);
}

function freezeAt(
  path: readonly (string | number)[],
  value: unknown,
  label: string,
  plugin: string | undefined,
): void {
  walked = 0;
  deepest = 0;
  const problem = freezeOrDescribe(value, 0);
  if (problem !== undefined) {
    const { found, path: inner } = problem;
    throw notJson({ found, path: [...inner, ...path.toReversed()] }, label, plugin);
  }
  if (walked >= large && typeof value === 'object' && value !== null) heights.set(value, deepest);
}

function notJson({ found, path }: Problem, label: string, plugin: string | undefined): ShallotError {
  return new ShallotError('VALUE_NOT_JSON', {
    message: `${label}${formatPath(path.toReversed())} is ${found}, which is not valid JSON. Use plain objects, arrays, strings, finite numbers, booleans and null.`,
    plugin,
  });
}

/** A copy of plain objects and arrays, frozen all the way down: for what somebody else may go on to change. */
export function frozenCopy<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (!Array.isArray(value) && prototype !== Object.prototype && prototype !== null) return value;
  const copy = Array.isArray(value)
    ? value.map(frozenCopy)
    : Object.fromEntries(Object.entries(value).map(([key, member]) => [key, frozenCopy(member)]));
  // The same members under the same names.
  return Object.freeze(copy) as T;
}

interface Problem {
  readonly found: string;
  /** Innermost segment first. */
  readonly path: (string | number)[];
}

function freezeOrDescribe(value: unknown, depth: number): Problem | undefined {
  const found = plainFault(value);
  if (found !== undefined) return { found, path: [] };
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth > maxDepth) return { found: `nested more than ${maxDepth} levels deep`, path: [] };
  walked += 1;
  const height = heights.get(value);
  const bottom = depth + (height ?? 0);
  if (bottom > deepest) deepest = bottom;
  if (height !== undefined && bottom <= maxDepth) return undefined;
  // Frozen first, so that what is looked at below cannot change any more, whatever the object is.
  Object.freeze(value);
  return Array.isArray(value) ? freezeItems(value, depth) : freezeMembers(value, depth);
}

/** What a value is instead of JSON, its members apart. */
export function plainFault(value: unknown): string | undefined {
  switch (typeof value) {
    case 'string':
    case 'boolean':
    case 'undefined':
      return undefined;
    case 'number':
      return Number.isFinite(value) ? undefined : String(value);
    case 'object':
      break;
    default:
      return `a ${typeof value}`;
  }
  if (value === null) return undefined;
  const prototype: unknown = Object.getPrototypeOf(value);
  const isPlain = Array.isArray(value)
    ? prototype === Array.prototype
    : prototype === Object.prototype || prototype === null;
  return isPlain ? undefined : describeInstance(value);
}

function freezeItems(array: readonly unknown[], depth: number): Problem | undefined {
  for (let index = 0; index < array.length; index += 1) {
    const problem = freezeMember(array, index, depth);
    if (problem !== undefined) return problem;
  }
  const keys = Reflect.ownKeys(array);
  // The items come first, then the length.
  if (keys.length === array.length + 1) return undefined;
  const odd = keys.slice(array.length).find((key) => key !== 'length');
  return { found: 'an extra member on an array', path: [String(odd)] };
}

/** Names and symbols apart: V8 gives all keys at once ten times slower. */
function freezeMembers(object: object, depth: number): Problem | undefined {
  for (const key of Object.getOwnPropertyNames(object)) {
    const problem = freezeMember(object, key, depth);
    if (problem !== undefined) return problem;
  }
  const [symbol] = Object.getOwnPropertySymbols(object);
  return symbol === undefined ? undefined : { found: symbolFault, path: [String(symbol)] };
}

function freezeMember(owner: object, key: string | number, depth: number): Problem | undefined {
  const descriptor = Object.getOwnPropertyDescriptor(owner, key);
  const value: unknown = descriptor?.value;
  if (typeof value === 'string' && descriptor?.enumerable === true) return undefined;
  const found =
    memberFault(descriptor) ?? (value === undefined && typeof key === 'number' ? 'undefined' : undefined);
  const problem = found === undefined ? freezeOrDescribe(value, depth + 1) : { found, path: [] };
  problem?.path.push(key);
  return problem;
}

export const symbolFault = 'a member with a symbol key';

/** Why a member is not just a value. */
export function memberFault(descriptor: PropertyDescriptor | undefined): string | undefined {
  if (descriptor === undefined) return 'a hole in an array';
  if (descriptor.enumerable !== true) return 'a non-enumerable member';
  return 'value' in descriptor ? undefined : 'an accessor (getter or setter)';
}

function describeInstance(object: object): string {
  const name: unknown = object.constructor?.name;
  return typeof name === 'string' && name !== '' ? `an instance of ${name}` : 'not a plain object';
}

function formatPath(path: readonly (string | number)[]): string {
  return path.map(formatPathSegment).join('');
}

function formatPathSegment(segment: string | number): string {
  if (typeof segment === 'number') return `[${segment}]`;
  return /^[A-Za-z_$][\w$]*$/.test(segment) ? `.${segment}` : `[${JSON.stringify(segment)}]`;
}

/** Whether two JSON values are equal, regardless of the order of their keys. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  return canonicalJson(a) === canonicalJson(b);
}

/** JSON text with sorted keys: equal values give equal text. Used for digests. */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`);
  return `{${members.join(',')}}`;
}
