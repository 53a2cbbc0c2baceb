import { isObject } from '../base/is-object.ts';
import { findJsonSchema } from '../base/schema.ts';
import type { Plugin } from '../contract/plugin.ts';

/**
 * The options of a plugin as somebody could have written them in full: with the defaults that its schema names, and
 * `[secret]` in place of what the schema calls secret. Without a JSON Schema, they are as they were given.
 */
export function optionsAfterDefaults({ options, definition }: Plugin): unknown {
  const schema = definition.options === undefined ? undefined : findJsonSchema(definition.options);
  return complete(options ?? {}, schema);
}

function complete(value: unknown, schema: unknown): unknown {
  if (!isObject(schema)) return value;
  if (schema['writeOnly'] === true && value !== undefined) return '[secret]';
  if (value === undefined) return schema['default'];
  const { properties, items } = schema;
  if (Array.isArray(value)) return value.map((each: unknown) => complete(each, items));
  if (!isPlainObject(value) || !isObject(properties)) return value;
  const names = new Set([...Object.keys(value), ...Object.keys(properties)]);
  return Object.fromEntries(
    [...names].flatMap((name) => {
      const member = complete(value[name], properties[name]);
      return member === undefined ? [] : [[name, member]];
    }),
  );
}

function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return isObject(value) && Object.getPrototypeOf(value) === Object.prototype;
}
