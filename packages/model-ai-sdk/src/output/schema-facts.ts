import type { JsonObject, JsonValue } from '@shallot/core';

import { isJsonObject } from '../sdk/metadata.ts';
import { annotations, referenced } from './root-schema.ts';

/** What of a schema some provider cannot say, wherever in it that stands. */
export interface SchemaFacts {
  /** An object with members of any name: a record, or one of which nothing is said. */
  readonly hasOpenObject: boolean;
  /** A list with a schema for each place. */
  readonly hasTuple: boolean;
  readonly isRecursive: boolean;
  /** The recursion goes through members that must be there. */
  readonly mustRecur: boolean;
  /** A reference that is no JSON pointer, or points to nothing. */
  readonly hasOddReference: boolean;
  /** A reference with something beside it that says more of the value. */
  readonly hasNarrowedReference: boolean;
  /** Definitions under `definitions`, as drafts before 2019-09 have them. */
  readonly hasOldDefinitions: boolean;
  /** A value of which neither type nor choices are said. */
  readonly hasUntyped: boolean;
}

const single = [
  'items',
  'additionalItems',
  'additionalProperties',
  'contains',
  'propertyNames',
  'not',
  'if',
  'then',
  'else',
  'unevaluatedItems',
  'unevaluatedProperties',
];
const lists = ['anyOf', 'oneOf', 'allOf', 'prefixItems', 'items'];
const typing = ['type', 'enum', 'const', 'anyOf', 'oneOf', 'allOf', '$ref'];
const maps = ['properties', 'patternProperties', 'dependentSchemas'];

export function factsOfSchema(root: JsonObject): SchemaFacts {
  const nodes = reachable(root);
  const references = nodes.filter(({ $ref }) => $ref !== undefined);
  return {
    hasOpenObject: nodes.some(isOpenObject),
    hasTuple: nodes.some(({ prefixItems, items }) => prefixItems !== undefined || Array.isArray(items)),
    isRecursive: isCyclic(root, (node) => childrenOf(root, node, false)),
    mustRecur: isCyclic(root, (node) => childrenOf(root, node, true)),
    hasOddReference: references.some(
      ({ $ref }) => typeof $ref !== 'string' || !isJsonObject(referenced(root, $ref)),
    ),
    hasNarrowedReference: references.some((node) =>
      Object.keys(node).some((key) => key !== '$ref' && !annotations.has(key)),
    ),
    hasOldDefinitions: nodes.some(({ definitions }) => definitions !== undefined),
    hasUntyped: nodes.some((node) => !typing.some((keyword) => keyword in node)),
  };
}

function isOpenObject({ type, properties, patternProperties, additionalProperties }: JsonObject): boolean {
  if (additionalProperties === true || isJsonObject(additionalProperties)) return true;
  if (isJsonObject(patternProperties)) return true;
  const isObject = type === 'object' || (Array.isArray(type) && type.includes('object'));
  return isObject && properties === undefined && additionalProperties !== false;
}

function reachable(root: JsonObject): JsonObject[] {
  const found = new Set([root]);
  // A set gives what is added while it is walked through, too.
  for (const node of found) for (const child of childrenOf(root, node, false)) found.add(child);
  return [...found];
}

/** Whether somebody who goes on from child to child comes to where he has been. Without recursion: schemas are deep. */
function isCyclic(root: JsonObject, children: (node: JsonObject) => JsonObject[]): boolean {
  const done = new Set<JsonObject>();
  const path = new Set([root]);
  const open = [{ node: root, left: children(root) }];
  for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
    const child = top.left.pop();
    if (child === undefined) {
      open.pop();
      path.delete(top.node);
      done.add(top.node);
    } else if (path.has(child)) {
      return true;
    } else if (!done.has(child)) {
      path.add(child);
      open.push({ node: child, left: children(child) });
    }
  }
  return false;
}

/** The schemas that a schema is made of; of its members only those that must be there, on request. */
function childrenOf(root: JsonObject, node: JsonObject, requiredOnly: boolean): JsonObject[] {
  const { $ref: reference, required } = node;
  const children: (JsonValue | undefined)[] = single.map((keyword) => node[keyword]);
  for (const keyword of lists) {
    const members = node[keyword];
    if (Array.isArray(members)) children.push(...(members as readonly JsonValue[]));
  }
  for (const keyword of maps) {
    const members = node[keyword];
    if (!isJsonObject(members)) continue;
    const mustBe = keyword === 'properties' && Array.isArray(required) ? new Set<unknown>(required) : none;
    for (const [name, member] of Object.entries(members)) {
      if (!requiredOnly || mustBe.has(name)) children.push(member);
    }
  }
  if (typeof reference === 'string') children.push(referenced(root, reference));
  return children.filter(isJsonObject);
}

const none: ReadonlySet<unknown> = new Set();
