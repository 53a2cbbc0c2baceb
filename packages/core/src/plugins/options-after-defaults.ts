import { isObject } from '../base/is-object.ts';
import { findJsonSchema } from '../base/schema.ts';
import type { Plugin } from '../contract/plugin.ts';

/**
 * Returns a plugin's options with the defaults of its schema, and `[secret]` for options that the schema marks as
 * secret. Without a JSON Schema, returns them unchanged.
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
