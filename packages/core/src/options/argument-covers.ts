import { isJsonObject, type JsonValue } from '../base/json.ts';
import type { RuleList } from '../contract/permissions/permissions.ts';
import { fitsPattern } from './fits-pattern.ts';

const form = /^(?<argument>[\w.-]+)=(?<value>.*)$/s;

/** Returns the parts of a pattern such as `action=delete_*`; undefined for any other pattern. */
export function argumentPattern(
  pattern: string,
): { readonly argument: string; readonly value: string } | undefined {
  const { argument, value = '' } = form.exec(pattern)?.groups ?? {};
  return argument === undefined ? undefined : { argument, value };
}

/**
 * Returns true if a pattern such as `action=delete_*` or `filter.owner=me` covers the arguments of a call; undefined if
 * this is unknown: the pattern has another form, the argument is an object, or the arguments are not JSON. The empty
 * pattern covers no arguments. If the argument is a list, a rule of `allow` must cover all items, any other rule only one.
 * `deny` and `ask` ignore case.
 */
export function argumentCovers(
  pattern: string,
  input: JsonValue | undefined,
  list: RuleList,
): boolean | undefined {
  const parts = argumentPattern(pattern);
  if (pattern === '' && input !== undefined) return isJsonObject(input) && Object.keys(input).length === 0;
  if (parts === undefined || input === undefined) return undefined;
  if (list === 'allow' && valueAt(input, parts.argument) === undefined) return false;
  // Some servers take arguments whatever the case of their names.
  const found = valuesAt(input, fold(parts.argument)).map((each) => covers(parts.value, each, list));
  return found.length === 0 ? false : coversItems(found, list);
}

/** Returns an argument by its name, or by the names that lead to it; undefined if there is none. */
function valueAt(input: unknown, name: string): unknown {
  if (typeof input !== 'object' || input === null) return undefined;
  if (Object.hasOwn(input, name)) return Reflect.get(input, name);
  const dot = name.indexOf('.');
  return dot === -1 ? undefined : valueAt(valueAt(input, name.slice(0, dot)), name.slice(dot + 1));
}

/** Returns all arguments that have a name in any case. */
function valuesAt(input: unknown, name: string): readonly unknown[] {
  if (typeof input !== 'object' || input === null) return [];
  const dot = name.indexOf('.');
  return Object.entries(input).flatMap(([key, value]: [string, unknown]) => {
    if (fold(key) === name) return [value];
    return dot !== -1 && fold(key) === name.slice(0, dot) ? valuesAt(value, name.slice(dot + 1)) : [];
  });
}

function covers(pattern: string, given: unknown, list: RuleList): boolean | undefined {
  if (Array.isArray(given))
    return coversItems(
      given.map((each) => covers(pattern, each, list)),
      list,
    );
  if (typeof given === 'object' && given !== null) return undefined;
  const text = String(given);
  if (list === 'allow') return fitsPattern(pattern, text);
  return fitsPattern(fold(pattern), fold(text));
}

function coversItems(items: readonly (boolean | undefined)[], list: RuleList): boolean | undefined {
  const decisive = list !== 'allow';
  if (items.includes(decisive)) return decisive;
  return items.includes(undefined) || (items.length === 0 && !decisive) ? undefined : !decisive;
}

function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}
