import type { JsonObject } from '../json.ts';

/**
 * Returns a schema from which `next` leads back to itself, searching from `start`; undefined if there is none. Skips
 * schemas in `done`, and adds those it has searched. Iterative, because schemas may be deep.
 */
export function findCycle(
  start: JsonObject,
  next: (schema: JsonObject) => JsonObject[],
  done: Set<JsonObject> = new Set(),
): JsonObject | undefined {
  const path = new Set([start]);
  const open = [{ schema: start, left: next(start) }];
  let cycle: JsonObject | undefined;
  for (let top = open.at(-1); top !== undefined && cycle === undefined; top = open.at(-1)) {
    const child = top.left.pop();
    if (child === undefined) {
      open.pop();
      path.delete(top.schema);
      done.add(top.schema);
    } else if (path.has(child)) {
      cycle = child;
    } else if (!done.has(child)) {
      path.add(child);
      open.push({ schema: child, left: next(child) });
    }
  }
  for (const schema of path) done.add(schema);
  return cycle;
}
