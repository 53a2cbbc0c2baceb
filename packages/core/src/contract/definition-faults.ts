import { showValue } from '../base/describe-value.ts';
import { hookNames } from '../base/hook-names.ts';
import { nearest } from '../base/nearest.ts';
import { isJsonSchema, isStandardSchema } from '../base/schema.ts';
import { isVersionRange } from '../base/version-range.ts';
import { isPluginName } from './plugin-names.ts';
import { isTool } from './tool.ts';

const isFunction = optional((value) => (typeof value === 'function' ? undefined : 'write a function'));

const checks: Readonly<Record<string, (value: unknown) => string | undefined>> = {
  name: (value) => (isPluginName(value) ? undefined : 'use lower-case letters, digits and hyphens'),
  version: optional((value) =>
    typeof value === 'string' && /^\d+\.\d+\.\d+/.test(value) ? undefined : 'write one such as "1.0.0"',
  ),
  api: optional((value) => (isRange(value) ? undefined : 'write a range such as "^1.0.0"')),
  priority: () => undefined,
  outside: optional((value) => (isNames(value) ? undefined : 'write a list of ids or names of plugins')),
  inside: optional((value) => (isNames(value) ? undefined : 'write a list of ids or names of plugins')),
  requires: optional((value) =>
    isRequirements(value) ? undefined : 'write an object of names and ranges, such as { memory: "^1.0.0" }',
  ),
  conflicts: optional((value) =>
    Array.isArray(value) && value.every(isPluginName) ? undefined : 'write a list of names of plugins',
  ),
  options: optional((value) =>
    isStandardSchema(value) || isJsonSchema(value)
      ? undefined
      : 'use a Standard Schema (of zod, valibot or arktype, for example) or a JSON Schema',
  ),
  tools: optional((value) => (Array.isArray(value) ? undefined : 'write a list of tools')),
  ...Object.fromEntries(hookNames.map((hook) => [hook, isFunction])),
  setup: isFunction,
};

/** Returns all faults in the known members of a plugin's definition, made by any copy of the core. */
export function definitionFaults(definition: object): string[] {
  const faults = Object.entries(checks).flatMap(([key, check]) => {
    const value: unknown = Reflect.get(definition, key);
    const advice = check(value);
    return advice === undefined ? [] : [`its ${key} is ${showValue(value)}; ${advice}`];
  });
  return [...faults, ...toolFaults(Reflect.get(definition, 'tools'))];
}

function toolFaults(tools: unknown): string[] {
  if (!Array.isArray(tools)) return [];
  return tools.flatMap((tool: unknown, index) =>
    isTool(tool)
      ? []
      : [`its tools[${index}] is ${showValue(tool)}, which is not a tool; pass it to defineTool`],
  );
}

/**
 * Returns a fault if options would never be read, or if the plugin does nothing; none if there are unknown members,
 * whose intent is unclear.
 */
export function idleFaults(definition: object, unknown: readonly string[]): string[] {
  const has = (key: string): boolean => Reflect.get(definition, key) !== undefined;
  if (has('setup') || unknown.length > 0) return [];
  if (has('options')) return ['its options are never read; read them in setup, or remove them'];
  if (has('tools') || hookNames.some(has)) return [];
  return [`it does nothing; add a hook (${hookNames.join(', ')}), tools or a setup`];
}

/** Members that plugins of other frameworks have, each with the equivalent here. */
const elsewhere: Readonly<Record<string, string>> = {
  before: 'outside',
  after: 'inside',
  depends: 'requires',
};

/** Returns a fault for each unknown member. */
export function unknownMembers(definition: object): string[] {
  const known = Object.keys(checks);
  return Object.keys(definition)
    .filter((key) => !known.includes(key))
    .map((key) => {
      const near = elsewhere[key] ?? nearest(key, known);
      const advice = near === undefined ? `known: ${known.join(', ')}` : `did you mean "${near}"?`;
      return `it has the unknown key "${key}"; ${advice}`;
    });
}

function optional(check: (value: unknown) => string | undefined): (value: unknown) => string | undefined {
  return (value) => (value === undefined ? undefined : check(value));
}

function isNames(value: unknown): boolean {
  return Array.isArray(value) && value.every((name) => typeof name === 'string' && name !== '');
}

function isRequirements(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.entries(value).every(([name, range]) => isPluginName(name) && isRange(range));
}

function isRange(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '' && isVersionRange(value);
}
