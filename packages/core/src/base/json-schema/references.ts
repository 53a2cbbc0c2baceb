import type { JsonObject, JsonValue } from '../json.ts';

/** References that lead nowhere, as far as that is certain: a schema may have names of its own, by `$id` and `$anchor`. */
export function unresolved(root: JsonObject): string[] {
  const nodes = objectsIn(root);
  const names = new Set(
    nodes.flatMap(({ $id, id, $anchor, $dynamicAnchor }) =>
      [$id, id, $anchor, $dynamicAnchor].filter((each) => typeof each === 'string'),
    ),
  );
  const hasInnerNames = nodes.some(({ $id, id }) => typeof $id === 'string' || typeof id === 'string');
  return nodes.flatMap(({ $ref: reference }) => {
    if (typeof reference !== 'string') return [];
    const isPointer = reference === '#' || reference.startsWith('#/');
    const isKnown = isPointer
      ? hasInnerNames || pointedAt(root, reference) !== undefined
      : hasInnerNames || names.has(reference.replace(/^#/, ''));
    return isKnown ? [] : [`the $ref ${JSON.stringify(reference.slice(0, 200))} leads nowhere in the schema`];
  });
}

/** References that come back to where they began without going into the value: nothing would ever come of a check. */
export function refersToItself(root: JsonObject): string[] {
  const done = new Set<JsonObject>();
  const faults: string[] = [];
  for (const start of objectsIn(root)) {
    if (done.has(start) || typeof start['$ref'] !== 'string') continue;
    const path = new Set([start]);
    const open = [{ node: start, left: sameValue(root, start) }];
    for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
      const next = top.left.pop();
      if (next === undefined) {
        open.pop();
        path.delete(top.node);
        done.add(top.node);
      } else if (path.has(next)) {
        faults.push(`the $ref ${JSON.stringify(start['$ref'].slice(0, 200))} leads back to itself`);
        break;
      } else if (!done.has(next)) {
        path.add(next);
        open.push({ node: next, left: sameValue(root, next) });
      }
    }
    for (const node of path) done.add(node);
  }
  return faults;
}

/** The schemas that the same value is checked against. */
function sameValue(root: JsonObject, node: JsonObject): JsonObject[] {
  const { $ref: reference, allOf, anyOf, oneOf, not, if: condition, then, else: otherwise } = node;
  const target = typeof reference === 'string' ? pointedAt(root, reference) : undefined;
  return [target, ...[allOf, anyOf, oneOf].flat(), not, condition, then, otherwise].filter(isObject);
}

/** What a JSON pointer points at. */
function pointedAt(root: JsonObject, reference: string): JsonValue | undefined {
  if (reference === '#') return root;
  if (!reference.startsWith('#/')) return undefined;
  let found: unknown = root;
  for (const segment of reference.slice(2).split('/')) {
    let key: string;
    try {
      key = decodeURIComponent(segment).replaceAll('~1', '/').replaceAll('~0', '~');
    } catch {
      // A pointer that is no URI component points at nothing.
      return undefined;
    }
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined;
    found = Reflect.get(found, key);
  }
  // It stands inside of JSON.
  return found as JsonValue;
}

/** All objects in a schema but those that are values: of `enum`, `const` and the like. */
function objectsIn(root: JsonObject): JsonObject[] {
  const found: JsonObject[] = [];
  const open: JsonValue[] = [root];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (Array.isArray(value)) open.push(...(value as readonly JsonValue[]));
    if (!isObject(value)) continue;
    found.push(value);
    for (const [key, member] of Object.entries(value)) {
      if (!['enum', 'const', 'default', 'examples'].includes(key) && member !== undefined) open.push(member);
    }
  }
  return found;
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
