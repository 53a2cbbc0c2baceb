import type { RedactedKey } from './key-reader.ts';
import { isSecretName } from './secret-names.ts';

/** Deeper or larger values are logged by accident, such as a socket that an error references. */
const maxDepth = 32;
const maxMembers = 20_000;

export interface ValueRedaction {
  readonly text: (text: string) => string;
  readonly key: (key: string) => RedactedKey;
  readonly censor: string;
}

/**
 * Returns a copy of any value as plain data without secrets, including errors, maps, sets, headers and objects with
 * `toJSON`. Cycles are cut, and members that throw are shown as unreadable. Never throws.
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

  /** Numbers may be secrets too, such as a PIN in the environment. */
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
      // A proxy or an accessor threw.
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
    // pino's error serializer reads the class of the object, or its `name` if it has none.
    return Object.defineProperty(Object.assign(Object.create(null) as object, copied), 'name', {
      value: type,
    });
  }

  /** In lists such as Node's raw headers, a name precedes its value. */
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

/** Returns true for the name of a secret header, but not for a sentence that ends in a word such as "token". */
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
 * Returns the members of an error that pino shows, then all others except the `result` of a run: the conversation is
 * not part of the error.
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
    // An accessor threw.
    return '[unreadable]';
  }
}
