import { sameJson, type JsonValue } from '../../base/json.ts';
import { memberFault, plainFault, symbolFault } from '../../base/json/frozen-json.ts';
import type { CallOutput } from '../../contract/interrupt.ts';
import type { CheckedCall } from './check-call.ts';

/** Nesting limit: an approval dialog could not show more. */
const maxDepth = 100;

/**
 * Returns the validated arguments as JSON if they differ from the call's `input`, for example by defaults or
 * transforms.
 */
export function outputOf({ call, args }: CheckedCall): CallOutput | undefined {
  if (args === call.input) return undefined;
  const notJson: string[] = [];
  const value = toJson(args, '', [], notJson);
  if (notJson.length > 0) return Object.freeze({ value, notJson: Object.freeze(notJson) });
  return sameJson(value, call.input) ? undefined : Object.freeze({ value });
}

function toJson(value: unknown, path: string, above: readonly object[], notJson: string[]): JsonValue {
  const odd = (found: string): string => {
    notJson.push(`${path === '' ? 'all of it' : path} is ${found}`);
    return `(${found})`;
  };
  const fault = plainFault(value);
  if (fault !== undefined) return odd(`${fault}${textOfInstance(value)}`);
  // Only JSON scalars are left.
  if (typeof value !== 'object' || value === null) return value as JsonValue;
  if (above.includes(value)) return odd('a cycle');
  if (above.length > maxDepth) return odd(`nested more than ${maxDepth} levels deep`);
  const shown = (key: string | symbol): JsonValue | undefined => {
    const descriptor = Object.getOwnPropertyDescriptor(value, key);
    const member: unknown = descriptor?.value;
    if (member === undefined && !Array.isArray(value) && descriptor !== undefined && 'value' in descriptor)
      return undefined;
    const inner = path === '' ? String(key) : `${path}.${String(key)}`;
    const wrong = typeof key === 'symbol' ? symbolFault : memberFault(descriptor);
    if (wrong === undefined) return toJson(member, inner, [...above, value], notJson);
    notJson.push(`${inner} is ${wrong}`);
    return `(${wrong})`;
  };
  if (Array.isArray(value)) return Object.freeze(value.map((_, index) => shown(String(index)) ?? null));
  const members = Reflect.ownKeys(value).map((key) => [String(key), shown(key)] as const);
  // Each member is JSON by now; undefined members are left out.
  return Object.freeze(Object.fromEntries(members.filter(([, member]) => member !== undefined))) as JsonValue;
}

/**
 * Returns the text of a bigint, or of an object with `toJSON` such as a date, so that two of them can be told apart;
 * empty for any other value.
 */
function textOfInstance(value: unknown): string {
  if (typeof value === 'bigint') return ` ${value}`;
  if (typeof value !== 'object' || value === null || !('toJSON' in value)) return '';
  try {
    return ` ${JSON.stringify(value)}`;
  } catch {
    // Values that are not JSON have no text; their kind is already reported.
    return '';
  }
}
