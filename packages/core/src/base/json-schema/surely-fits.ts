import type { JsonObject, JsonValue } from '../json.ts';

/** Returns true if a value certainly matches; false means that the validator must decide. */
export type SurelyFits = (value: unknown) => boolean;

/**
 * Returns a fast check for the keywords that most tool schemas use; it allocates nothing. Values that it cannot confirm
 * need the validator. Undefined for schemas with other keywords.
 */
export function surelyFits(schema: JsonValue): SurelyFits | undefined {
  if (schema === true) return () => true;
  // The validator reports the issue.
  if (schema === false) return () => false;
  const rules: SurelyFits[] = [isJsonType];
  // The schema was read before: it is a boolean or an object.
  const keywords = schema as JsonObject;
  for (const keyword of Object.keys(keywords)) {
    if (annotations.has(keyword)) continue;
    const rule = ruleOf(keyword, keywords);
    if (rule === undefined) return undefined;
    rules.push(rule);
  }
  return (value) => {
    for (const fits of rules) if (!fits(value)) return false;
    return true;
  };
}

/** Keywords that do not restrict values, as long as no reference points to them. */
const annotations: ReadonlySet<string> = new Set([
  '$comment',
  '$defs',
  '$schema',
  'default',
  'definitions',
  'deprecated',
  'description',
  'examples',
  'readOnly',
  'title',
  'writeOnly',
]);

function ruleOf(keyword: string, schema: JsonObject): SurelyFits | undefined {
  const value = schema[keyword];
  switch (keyword) {
    case 'type':
      return typeRule(value);
    case 'enum':
      return (given) => isScalar(given) && (value as readonly JsonValue[]).includes(given);
    case 'const':
      return (given) => isScalar(given) && given === value;
    case 'required':
      return requiredRule(value as readonly string[]);
    case 'properties':
      return propertiesRule(value as JsonObject);
    case 'additionalProperties':
      return 'patternProperties' in schema ? undefined : othersRule(value as JsonValue, schema['properties']);
    case 'items':
      return Array.isArray(value) || 'prefixItems' in schema ? undefined : itemsRule(value as JsonValue);
    default:
      // In draft 4, exclusive bounds are booleans.
      return typeof value === 'number' ? boundRule(keyword, value) : undefined;
  }
}

function isScalar(value: unknown): value is string | number | boolean | null {
  return value === null || (typeof value !== 'object' && isJsonType(value));
}

function isJsonType(value: unknown): boolean {
  return (
    typeof value === 'string' ||
    typeof value === 'number' ||
    typeof value === 'object' ||
    typeof value === 'boolean'
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const types: Readonly<Record<string, SurelyFits>> = {
  array: Array.isArray,
  boolean: (value) => typeof value === 'boolean',
  integer: Number.isInteger,
  null: (value) => value === null,
  number: Number.isFinite,
  object: isObject,
  string: (value) => typeof value === 'string',
};

function typeRule(type: JsonValue | undefined): SurelyFits | undefined {
  if (typeof type === 'string') return types[type];
  const each = (type as readonly string[]).flatMap((name) => types[name] ?? []);
  return (value) => each.some((fits) => fits(value));
}

function requiredRule(names: readonly string[]): SurelyFits {
  return (value) => {
    if (!isObject(value)) return true;
    for (const name of names) if (!Object.hasOwn(value, name)) return false;
    return true;
  };
}

function propertiesRule(properties: JsonObject): SurelyFits | undefined {
  const members = new Map<string, SurelyFits>();
  for (const name of Object.keys(properties)) {
    const fits = surelyFits(properties[name] as JsonValue);
    if (fits === undefined) return undefined;
    members.set(name, fits);
  }
  return (value) => {
    if (!isObject(value)) return true;
    for (const [name, fits] of members) if (Object.hasOwn(value, name) && !fits(value[name])) return false;
    return true;
  };
}

function othersRule(others: JsonValue, properties: JsonValue = {}): SurelyFits | undefined {
  const known = new Set(Object.keys(properties as JsonObject));
  const fits = surelyFits(others);
  if (fits === undefined) return undefined;
  return (value) => {
    if (!isObject(value)) return true;
    for (const name of Object.keys(value)) if (!known.has(name) && !fits(value[name])) return false;
    return true;
  };
}

function itemsRule(items: JsonValue): SurelyFits | undefined {
  const fits = surelyFits(items);
  if (fits === undefined) return undefined;
  return (value) => {
    if (!Array.isArray(value)) return true;
    for (let index = 0; index < value.length; index += 1) if (!fits(value[index])) return false;
    return true;
  };
}

function boundRule(keyword: string, bound: number): SurelyFits | undefined {
  switch (keyword) {
    case 'minimum':
      return (value) => typeof value !== 'number' || value >= bound;
    case 'maximum':
      return (value) => typeof value !== 'number' || value <= bound;
    case 'exclusiveMinimum':
      return (value) => typeof value !== 'number' || value > bound;
    case 'exclusiveMaximum':
      return (value) => typeof value !== 'number' || value < bound;
    // Lengths count code points; a string has at least half as many of them as code units.
    case 'minLength':
      return (value) => typeof value !== 'string' || value.length >= bound * 2;
    case 'maxLength':
      return (value) => typeof value !== 'string' || value.length <= bound;
    case 'minItems':
      return (value) => !Array.isArray(value) || value.length >= bound;
    case 'maxItems':
      return (value) => !Array.isArray(value) || value.length <= bound;
    default:
      return undefined;
  }
}
