import type { RedactedKey } from './key-reader.ts';
import { isSecretName } from './secret-names.ts';

/** Deeper, and with more members, a value is an accident: a socket that an error carries, say. */
const maxDepth = 32;
const maxMembers = 20_000;

export interface ValueRedaction {
  readonly text: (text: string) => string;
  readonly key: (key: string) => RedactedKey;
  readonly censor: string;
}

/**
 * A copy of anything as plain data, without secrets: errors with what they carry, maps, sets, headers, what has `toJSON`;
 * cycles are cut, and what throws when it is read is left out. Never throws.
 */
export function redactValue(value: unknown, { text, key, censor }: ValueRedaction): unknown {
  const parents = new Set<object>();
  let members = 0;

  function copy(current: unknown, hidden: boolean): unknown {
    members += 1;
    switch (typeof current) {
      case 'string':
        return hidden && current !== '' ? censor : text(current);
      case 'number':
      case 'bigint':
        return copyNumber(current, hidden);
      case 'symbol':
        return text(String(current));
      case 'function':
        return '[function]';
      case 'object':
        return current === null ? null : copyObject(current, hidden);
      default:
        return current;
    }
  }

  /** A number may be a secret too: a PIN that the environment holds as digits. */
  function copyNumber(number: number | bigint, hidden: boolean): unknown {
    const digits = String(number);
    if (hidden || text(digits) !== digits) return censor;
    return typeof number === 'number' ? number : digits;
  }

  function copyObject(object: object, hidden: boolean): unknown {
    if (parents.has(object)) return '[circular]';
    if (parents.size > maxDepth) return '[nested too deep]';
    if (members > maxMembers) return '[too large]';
    parents.add(object);
    try {
      return copyMembers(object, hidden);
    } catch {
      // A proxy or an accessor that throws: nothing of it can be shown.
      return '[unreadable]';
    } finally {
      parents.delete(object);
    }
  }

  function copyMembers(object: object, hidden: boolean): unknown {
    if (Array.isArray(object)) return copyList(object, hidden);
    if (object instanceof Set) return copyList([...object], hidden);
    if (isError(object)) return copyError(object, hidden);
    if (ArrayBuffer.isView(object)) return `[${object.byteLength} bytes]`;
    if (isEntries(object)) return copyEntries([...object], hidden);
    if ('toJSON' in object && typeof object.toJSON === 'function') {
      const plain: unknown = Reflect.apply(object.toJSON, object, []);
      return copy(plain, hidden);
    }
    return copyEntries(ownEntries(object), hidden);
  }

  function copyError(error: Error, hidden: boolean): object {
    const { constructor, name } = error;
    const type = text(typeof constructor === 'function' ? constructor.name : name);
    const copied = { type, ...copyEntries(errorEntries(error), hidden) };
    // pino's serializer of errors asks an object for its class, and one that has none for its name.
    return Object.defineProperty(Object.assign(Object.create(null) as object, copied), 'name', {
      value: type,
    });
  }

  /** In lists like Node's raw headers, a name is followed by its value. */
  function copyList(list: readonly unknown[], hidden: boolean): unknown[] {
    return list.map((member, index) => {
      const before = list[index - 1];
      return copy(member, hidden || (typeof before === 'string' && isHeaderName(before)));
    });
  }

  function copyEntries(entries: readonly (readonly [unknown, unknown])[], hidden: boolean): object {
    return Object.fromEntries(
      entries.map(([name, member]) => {
        const { shown, isSecret } = key(String(name));
        return [shown, copy(member, hidden || isSecret)];
      }),
    );
  }

  return copy(value, false);
}

/** A sentence that ends in "token" is not a header's name. */
function isHeaderName(text: string): boolean {
  return text.length <= 64 && /^[\w-]+$/.test(text) && isSecretName(text);
}

function isEntries(object: object): object is Iterable<readonly [unknown, unknown]> {
  return (
    object instanceof Map ||
    ['Headers', 'URLSearchParams'].some((tag) => tag === Reflect.get(object, Symbol.toStringTag))
  );
}

function ownEntries(object: object): [string, unknown][] {
  return Object.keys(object).map((key) => [key, read(object, key)]);
}

function isError(object: object): object is Error {
  return object instanceof Error || Object.prototype.toString.call(object) === '[object Error]';
}

const shownFirst = ['message', 'stack', 'cause', 'errors'];

/**
 * What pino shows of an error, and all that it carries; but not the `result` that the core puts on the error of a run:
 * what was said in a run is not part of what went wrong.
 */
function errorEntries(error: Error): [string, unknown][] {
  const isOfCore = Symbol.for('shallot.error') in error;
  const carried = ownEntries(error).filter(
    ([key, member]) =>
      ![...shownFirst, 'name'].includes(key) && !(isOfCore && (key === 'result' || isEmpty(member))),
  );
  const shown = shownFirst
    .filter((key) => key in error)
    .map((key): [string, unknown] => [key, read(error, key)])
    .filter(([, member]) => !isEmpty(member));
  return [...shown, ...carried];
}

function isEmpty(member: unknown): boolean {
  return member === undefined || (Array.isArray(member) && member.length === 0);
}

function read(object: object, key: string): unknown {
  try {
    return Reflect.get(object, key);
  } catch {
    // An accessor that throws.
    return '[unreadable]';
  }
}
