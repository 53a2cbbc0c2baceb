import { ShallotError } from '../errors.ts';
import type { JsonValue } from '../json.ts';

/** The deepest nesting that is accepted; deeper values could overflow the stack of a serialiser. */
const maxDepth = 200;
const tooDeep = `nested more than ${maxDepth} levels deep`;

/** The nesting depth of large values known to be deeply frozen JSON, which need not be checked again. */
const heights = new WeakMap<object, number>();
const large = 50;

/**
 * Returns `value` as deeply frozen JSON: itself if it already is, else a frozen copy. Members that are `undefined` are
 * accepted, as `JSON.stringify` omits them; a cycle is reported as too deep.
 * @throws `VALUE_NOT_JSON` with the path of the first invalid member, including accessors and non-enumerable members
 */
export function frozenJson<T>(value: T, label: string, plugin?: string): T & JsonValue {
  if (typeof value === 'string') return value;
  const taken = strict.takeAll(value);
  if (strict.problem !== undefined) throw notJson(strict.problem, label, plugin);
  return taken as T & JsonValue;
}

/**
 * Freezes an object created by spreading others, and a list in it created the same way. Their members become frozen
 * JSON. @throws `VALUE_NOT_JSON`
 */
export function freezeMade(object: object, list: unknown[], label: string, plugin?: string): void {
  const take = (value: unknown, key: string, index?: number): unknown => {
    if (typeof value === 'string') return value;
    const taken = strict.takeAll(value);
    if (strict.problem === undefined) return taken;
    const { found, path } = strict.problem;
    throw notJson({ found, path: [...path, ...(index === undefined ? [] : [index]), key] }, label, plugin);
  };
  // The object is not shared yet.
  const members = object as Record<string, unknown>;
  for (const key of Object.keys(members)) {
    if (members[key] !== list) members[key] = take(members[key], key);
    else for (let index = 0; index < list.length; index += 1) list[index] = take(list[index], key, index);
  }
  const [symbol] = Object.getOwnPropertySymbols(object);
  if (symbol !== undefined) throw notJson({ found: symbolFault, path: [String(symbol)] }, label, plugin);
  Object.freeze(list);
  Object.freeze(object);
}

/** Freezes the result of `JSON.parse` in place. @throws `VALUE_NOT_JSON` if it is nested too deeply */
export function freezeParsed(value: unknown, label: string): JsonValue {
  let frozen = 0;
  const freeze = (each: unknown, depth: number): number => {
    if (typeof each !== 'object' || each === null) return depth - 1;
    if (depth > maxDepth) throw notJson({ found: tooDeep, path: [] }, label, undefined);
    frozen += 1;
    Object.freeze(each);
    let deepest = depth;
    for (const member of Array.isArray(each) ? each : Object.values(each)) {
      if (typeof member === 'object') deepest = Math.max(deepest, freeze(member, depth + 1));
    }
    return deepest;
  };
  const height = freeze(value, 0);
  if (frozen >= large && typeof value === 'object' && value !== null) heights.set(value, height);
  return value as JsonValue;
}

/** A value as `JSON.stringify` writes it, frozen. */
export interface WrittenJson {
  readonly json: JsonValue;
  /** The first member that JSON cannot represent completely, described for a warning. */
  readonly lost?: string;
}

/**
 * Converts a value as `JSON.stringify` would: by `toJSON`, or by its enumerable members. @throws the errors of
 * `JSON.stringify`, for example for cycles and `bigint`, and `VALUE_NOT_JSON`
 */
export function writtenJson(value: unknown, label: string): WrittenJson {
  const walk = new Walk(false);
  const taken = walk.takeAll(value);
  if (walk.problem === undefined) return { json: taken as JsonValue };
  let lost: string | undefined;
  const text = JSON.stringify(value, function note(this: unknown, key: string, member: unknown) {
    if (typeof member === 'bigint') throw notJson({ found: 'a bigint', path: [key] }, label, undefined);
    lost ??= lossOf(this, key, member);
    return member;
  });
  if (text === undefined)
    throw notJson({ found: plainFault(value) ?? 'nothing', path: [] }, label, undefined);
  const json = freezeParsed(JSON.parse(text), label);
  return lost === undefined ? { json } : { json, lost };
}

/** Describes the loss in a member after its `toJSON`, if any, was called; undefined if nothing is lost. */
function lossOf(owner: unknown, key: string, member: unknown): string | undefined {
  const found =
    plainFault(member) ?? (member === undefined && Array.isArray(owner) ? 'undefined' : undefined);
  return found && `${key === '' ? 'it' : JSON.stringify(key)} is ${found}`;
}

interface Problem {
  readonly found: string;
  /** Innermost segment first. */
  readonly path: (string | number)[];
}

/** One conversion of a value to frozen JSON. */
class Walk {
  problem: Problem | undefined;
  /** Rejects accessors and non-enumerable members; otherwise they are read or omitted. */
  readonly #isStrict: boolean;
  /** The number of objects visited, and the greatest depth. */
  #walked = 0;
  #deepest = 0;

  constructor(isStrict: boolean) {
    this.#isStrict = isStrict;
  }

  takeAll(value: unknown): unknown {
    this.problem = undefined;
    this.#walked = 0;
    this.#deepest = 0;
    const taken = this.#take(value, 0);
    if (this.#walked >= large && this.problem === undefined && typeof taken === 'object' && taken !== null)
      heights.set(taken, this.#deepest);
    return taken;
  }

  #take(value: unknown, depth: number): unknown {
    const found = plainFault(value);
    if (found !== undefined) return this.#refuse(found);
    if (typeof value !== 'object' || value === null) return value;
    if (depth > maxDepth) return this.#refuse(tooDeep);
    this.#walked += 1;
    const height = heights.get(value);
    const bottom = depth + (height ?? 0);
    if (bottom > this.#deepest) this.#deepest = bottom;
    if (height !== undefined && bottom <= maxDepth) return value;
    return Array.isArray(value) ? this.#takeItems(value, depth) : this.#takeMembers(value, depth);
  }

  #refuse(found: string, ...path: (string | number)[]): undefined {
    this.problem = { found, path };
  }

  #takeItems(array: readonly unknown[], depth: number): unknown {
    if (this.#isStrict && this.#hasOddItem(array)) return undefined;
    // V8 copies a frozen array fifty times more slowly than others.
    let copy = this.#isStrict && Object.isFrozen(array) ? undefined : array.slice();
    for (let index = 0; index < array.length; index += 1) {
      const value = (copy ?? array)[index];
      if (typeof value === 'string') continue;
      if (value === undefined) return this.#refuse('undefined', index);
      const taken = this.#take(value, depth + 1);
      if (this.problem !== undefined) return void this.problem.path.push(index);
      if (taken !== value) (copy ??= array.slice())[index] = taken;
    }
    return copy === undefined ? array : Object.freeze(copy);
  }

  #hasOddItem(array: readonly unknown[]): boolean {
    for (let index = 0; index < array.length; index += 1) {
      const found = memberFault(Object.getOwnPropertyDescriptor(array, index));
      if (found !== undefined) this.#refuse(found, index);
      if (found !== undefined) return true;
    }
    const keys = Reflect.ownKeys(array);
    // `ownKeys` lists the items first, then `length`.
    const odd = keys.length === array.length + 1 ? undefined : keys.slice(array.length).find(isNoLength);
    if (odd !== undefined) this.#refuse('an extra member on an array', String(odd));
    return odd !== undefined;
  }

  #takeMembers(object: object, depth: number): unknown {
    const [symbol] = Object.getOwnPropertySymbols(object);
    if (symbol !== undefined) return this.#refuse(symbolFault, String(symbol));
    if (this.#isStrict && Object.isFrozen(object)) return this.#takeFrozen(object, depth);
    if (this.#isStrict) {
      for (const key of Object.getOwnPropertyNames(object)) {
        const found = memberFault(Object.getOwnPropertyDescriptor(object, key));
        if (found !== undefined) return this.#refuse(found, key);
      }
    }
    // The copy has plain values even where the object has accessors.
    const copy = copyOf(object);
    for (const key of Object.keys(copy)) {
      const value = copy[key];
      if (typeof value === 'string') continue;
      const taken = this.#take(value, depth + 1);
      if (this.problem !== undefined) return void this.problem.path.push(key);
      if (taken !== value) copy[key] = taken;
    }
    return Object.freeze(copy);
  }

  /** Visits each member once, since frozen members cannot change. */
  #takeFrozen(object: object, depth: number): unknown {
    let copy: Record<string, unknown> | undefined;
    for (const key of Object.getOwnPropertyNames(object)) {
      const descriptor = Object.getOwnPropertyDescriptor(object, key);
      const found = memberFault(descriptor);
      if (found !== undefined) return this.#refuse(found, key);
      const value: unknown = descriptor?.value;
      if (typeof value === 'string') continue;
      const taken = this.#take(value, depth + 1);
      if (this.problem !== undefined) return void this.problem.path.push(key);
      if (taken !== value) (copy ??= copyOf(object))[key] = taken;
    }
    return copy === undefined ? object : Object.freeze(copy);
  }
}

/** Shared by all strict conversions, which never overlap, to avoid garbage. */
const strict = new Walk(true);

function copyOf(object: object): Record<string, unknown> {
  return { ...object };
}

function isNoLength(key: PropertyKey): boolean {
  return key !== 'length';
}

function notJson({ found, path }: Problem, label: string, plugin: string | undefined): ShallotError {
  return new ShallotError('VALUE_NOT_JSON', {
    message: `${label}${formatPath(path.toReversed())} is ${found}, which is not valid JSON. Use plain objects, arrays, strings, finite numbers, booleans and null.`,
    plugin,
  });
}

/** Returns why a value itself, apart from its members, is not JSON; undefined if it is, and for `undefined`. */
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

export const symbolFault = 'a member with a symbol key';

/** Returns why a member is not a plain value; undefined if it is. */
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
