import assert from 'node:assert/strict';

import type { ConformanceCheck } from '../conformance.ts';
import { isObject } from '../is-object.ts';
import type { PluginSubject } from '../plugin-suite.ts';
import { optionsJson } from './options-json.ts';

/** Returns checks of a plugin's options. */
export function optionChecks(subject: PluginSubject): ConformanceCheck[] {
  return [
    { name: 'accepts its options', run: () => acceptsOptions(subject) },
    { name: 'describes every option', run: async () => describesOptions(subject) },
    { name: 'has defaults that are valid', run: () => hasValidDefaults(subject) },
  ];
}

async function acceptsOptions({ definition, options }: PluginSubject): Promise<void> {
  if (definition.options === undefined) {
    const advice = 'give the definition an options schema, or leave the options of the suite out';
    return assert.equal(options, undefined, `the plugin takes no options; ${advice}`);
  }
  const advice =
    options === undefined
      ? 'make every option optional, or name in `options` of the suite those that are required'
      : 'fix the schema, or `options` of the suite';
  assert.deepEqual(await issuesOf(definition, options ?? {}), [], `the options are not valid; ${advice}`);
}

async function issuesOf(
  { options: schema }: PluginSubject['definition'],
  options: unknown,
): Promise<string[]> {
  const { issues = [] } = (await schema?.['~standard'].validate(options)) ?? {};
  return issues.map(({ path = [], message }) => `${path.map(segmentOf).join('.')}: ${message}`);
}

function segmentOf(segment: PropertyKey | { readonly key: PropertyKey }): string {
  return String(typeof segment === 'object' ? segment.key : segment);
}

/** Checks that each option has a description, which editors, `shallot inspect` and the schema of a config show. */
function describesOptions({ definition }: PluginSubject): void {
  if (definition.options === undefined) return;
  assert.deepEqual(
    bareOptions(jsonOf(definition.options), ''),
    [],
    'these options have no description; add one to each, such as `.describe("…")`',
  );
}

/** Returns the paths of the options without a description, written as `servers.*.url` and `models[].name`. */
function bareOptions(schema: Readonly<Record<string, unknown>>, path: string): string[] {
  const { properties, items, additionalProperties, anyOf, oneOf, allOf } = schema;
  const inside = (inner: unknown, at: string) => (isObject(inner) ? bareOptions(inner, at) : []);
  return [
    ...Object.entries(isObject(properties) ? properties : {}).flatMap(([key, option]) => {
      const at = path === '' ? key : `${path}.${key}`;
      return (isDescribed(option) ? [] : [at]).concat(inside(option, at));
    }),
    ...inside(items, `${path}[]`),
    ...inside(additionalProperties, `${path}.*`),
    ...[anyOf, oneOf, allOf]
      .filter(Array.isArray)
      .flatMap((kinds: readonly unknown[]) => kinds.flatMap((kind) => inside(kind, path))),
  ];
}

function isDescribed(schema: unknown): boolean {
  return isObject(schema) && typeof schema['description'] === 'string' && /\S/.test(schema['description']);
}

function jsonOf(
  schema: NonNullable<PluginSubject['definition']['options']>,
): Readonly<Record<string, unknown>> {
  const json = optionsJson(schema);
  const advice = 'use optionsSchema, zod 4 or arktype, or toStandardJsonSchema for valibot';
  assert.ok(
    json !== undefined,
    `the options cannot be written as JSON Schema, which editors need; ${advice}`,
  );
  return json;
}

async function hasValidDefaults({ definition, options }: PluginSubject): Promise<void> {
  if (definition.options === undefined) return;
  const given = isObject(options) ? options : {};
  const { properties = {} } = jsonOf(definition.options);
  for (const [key, schema] of Object.entries(isObject(properties) ? properties : {})) {
    if (!isObject(schema) || !('default' in schema)) continue;
    const issues = await issuesOf(definition, { ...given, [key]: schema['default'] });
    assert.deepEqual(
      issues.filter((issue) => issue.startsWith(`${key}:`) || issue.startsWith(`${key}.`)),
      [],
      `the default of "${key}", ${JSON.stringify(schema['default'])}, is not a valid value of it; change the default or the schema`,
    );
  }
}
