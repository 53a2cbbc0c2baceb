import { isJsonList, isJsonObject, type JsonObject, type JsonValue } from '../../base/json.ts';
import { shapeSchema } from '../../options/option-shape.ts';
import { configKeys } from './config-keys.ts';

/** A plugin for the editor schema: the names that a config can use for it, and its options. */
export interface KnownPlugin {
  readonly names: readonly string[];
  /** Undefined if the plugin has no JSON Schema. */
  readonly options?: JsonObject | undefined;
}

/**
 * Returns the JSON Schema of a config file for editors, in draft 7, which all of them support. It suggests the names of
 * the known plugins, and describes their options.
 */
export function configJsonSchema(plugins: readonly KnownPlugin[] = []): JsonObject {
  const schema = inside(shapeSchema(configKeys));
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'The config of a Shallot agent',
    ...schema,
    ...(plugins.length > 0 &&
      isJsonObject(schema.properties) && { properties: propose(schema.properties, plugins) }),
    definitions: {
      reference,
      ...Object.fromEntries(
        plugins.flatMap(({ options }, index) =>
          options === undefined
            ? []
            : [[definitionOf(index), relocate(inside(options), definitionOf(index))]],
        ),
      ),
    },
  };
}

function definitionOf(index: number): string {
  return `options-${index + 1}`;
}

/** Adds the known plugins to the schema of `plugins`; other entries remain valid. */
function propose(properties: JsonObject, plugins: readonly KnownPlugin[]): JsonObject {
  const known: JsonObject = { enum: plugins.flatMap(({ names }) => names) };
  return changed(properties, 'plugins', (list) =>
    eachKind(list, (kind) =>
      changed(kind, 'items', (items) => ({
        ...withKind(
          eachKind(items, (entry) =>
            changed(entry, 'properties', (keys) => changed(keys, 'use', (use) => withKind(use, known))),
          ),
          known,
        ),
        allOf: plugins.flatMap(optionsByName),
      })),
    ),
  );
}

/** Returns the schema of the options for entries that use this plugin. */
function optionsByName({ names, options }: KnownPlugin, index: number): JsonObject[] {
  if (options === undefined) return [];
  const there = { $ref: `#/definitions/${definitionOf(index)}` };
  return [
    {
      if: { type: 'object', properties: { use: { enum: [...names] } }, required: ['use'] },
      // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema; nobody awaits a list
      then: { properties: { options: { anyOf: [there, { $ref: ofEnvironment }] } } },
    },
  ];
}

function changed(schema: JsonObject, key: string, change: (member: JsonObject) => JsonObject): JsonObject {
  const member = schema[key];
  return isJsonObject(member) ? { ...schema, [key]: change(member) } : schema;
}

function eachKind(schema: JsonObject, change: (kind: JsonObject) => JsonObject): JsonObject {
  const { anyOf } = schema;
  if (!isJsonList(anyOf)) return change(schema);
  return { ...schema, anyOf: anyOf.map((kind) => (isJsonObject(kind) ? change(kind) : kind)) };
}

/** Adds a kind in front, because editors suggest the first one. */
function withKind(schema: JsonObject, kind: JsonObject): JsonObject {
  return { ...schema, anyOf: [kind, ...(isJsonList(schema.anyOf) ? schema.anyOf : [])] };
}

/** Rewrites the references of a schema for use inside another schema. */
function relocate(schema: JsonObject, name: string): JsonObject {
  const { $schema: _, ...rest } = schema;
  return moved(rest, name);
}

function moved(schema: JsonObject, name: string): JsonObject {
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, movedValue(key, value, name)]),
  );
}

function movedValue(key: string, value: JsonValue, name: string): JsonValue {
  if (key === '$ref' && typeof value === 'string') {
    // The definition of references to the environment is shared.
    return value.startsWith('#') && value !== ofEnvironment
      ? `#/definitions/${name}${value.slice(1)}`
      : value;
  }
  if (isJsonList(value)) return value.map((each) => movedValue('', each, name));
  return isJsonObject(value) ? moved(value, name) : value;
}

const ofEnvironment = '#/definitions/reference';

const reference: JsonObject = {
  description: 'A value from the environment.',
  type: 'object',
  properties: {
    $env: { type: 'string', pattern: '.', description: 'The name of a variable.' },
    default: { description: 'The value to use if the variable is not set or empty.' },
  },
  required: ['$env'],
  additionalProperties: false,
};

/** Allows a reference to the environment instead of the value. */
function orReference(schema: JsonObject): JsonObject {
  const { description, default: fallback, ...kind }: JsonObject = inside(schema);
  const kinds = isJsonList(kind.anyOf) ? kind.anyOf : [kind];
  return {
    ...(description === undefined ? {} : { description }),
    ...(fallback === undefined ? {} : { default: fallback }),
    ...(Object.keys(kind).length === 0 ? {} : { anyOf: [...kinds, { $ref: ofEnvironment }] }),
  };
}

/** Allows references for the members of a value, but not for the value itself. */
function inside(schema: JsonObject): JsonObject {
  const { properties, items, additionalProperties, anyOf } = schema;
  return {
    ...schema,
    ...(isJsonObject(properties) && { properties: eachOf(properties) }),
    ...(isJsonObject(items) && { items: orReference(items) }),
    ...(isJsonObject(additionalProperties) && { additionalProperties: orReference(additionalProperties) }),
    ...(isJsonList(anyOf) && { anyOf: anyOf.map((kind) => (isJsonObject(kind) ? inside(kind) : kind)) }),
  };
}

function eachOf(properties: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [
      name,
      isJsonObject(schema) ? orReference(schema) : schema,
    ]),
  );
}
