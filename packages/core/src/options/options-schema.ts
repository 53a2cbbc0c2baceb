import type { JsonObject, JsonValue } from '../base/json.ts';
import { nearest } from '../base/nearest.ts';
import { parseRange } from '../base/net/address-rules.ts';
import type { JsonSchema, StandardSchemaWithJson } from '../base/schema.ts';
import { isChatModel, type ModelName } from '../contract/model.ts';
import { toolName } from '../contract/tool.ts';
import { headerFault } from './header-fault.ts';
import {
  readShape,
  shapeSchema,
  type InputOf,
  type OutputOf,
  type Shape,
  type ShapeInput,
  type ShapeOutput,
} from './option-shape.ts';
import {
  guardedOption,
  makeOption,
  readOption,
  readWhole,
  reportAt,
  type AnyOption,
  type Kind,
  type Option,
  type Presence,
} from './option.ts';

/** Bounds of a number: `min` and `max` belong to it, `above` and `below` do not. */
interface Bounds {
  readonly min?: number;
  readonly above?: number;
  readonly max?: number;
  readonly below?: number;
}

/** The kinds of options. Each function returns an option that may be left out. See `optionsSchema`. */
export const option = Object.freeze({
  /**
   * A string. `what` describes the pattern: "a path that begins with /". `advise` may refuse a string that matches the
   * pattern by returning advice: "write a longer one".
   */
  text: (
    what = 'a string',
    pattern?: RegExp,
    advise: (text: string) => string | undefined = () => undefined,
  ): Option<string> => {
    const isLike = (value: unknown): value is string =>
      typeof value === 'string' && (pattern === undefined || value.search(pattern) !== -1);
    return scalar(
      what,
      (value) => isLike(value) && advise(value) === undefined,
      { type: 'string', ...(pattern && { pattern: pattern.source }) },
      (value) => (isLike(value) ? advise(value) : undefined),
    );
  },

  /** The name of a tool that the plugin adds, in a form that all providers accept. */
  toolName: (): Option<string> => option.text('1 to 64 letters, digits, _ and -', toolName),

  /** An IP address, or a range in CIDR notation. */
  addressRange: (): Option<string> =>
    option.text('an IP address, or a range such as 10.0.0.0/8', /./, (text) =>
      parseRange(text) === undefined ? 'write an IP address, or a range such as 10.0.0.0/8' : undefined,
    ),

  number: (bounds: Bounds = {}): Option<number> => numeric('number', 'a number', Number.isFinite, bounds),

  integer: (bounds: Bounds = {}): Option<number> =>
    numeric('integer', 'a whole number', Number.isInteger, bounds),

  boolean: (): Option<boolean> =>
    scalar('true or false', (value) => typeof value === 'boolean', { type: 'boolean' }),

  /** One of these values. `null` is allowed, for "off". */
  oneOf: <const T extends string | number | boolean | null>(...values: readonly [T, ...T[]]): Option<T> =>
    scalar(
      joinWithOr(values.map((value) => JSON.stringify(value))),
      (value) => values.some((each) => each === value),
      { enum: values },
      (value) => {
        const near = nearest(String(value), values.map(String));
        return near === undefined ? undefined : `did you mean ${JSON.stringify(near)}?`;
      },
    ),

  /** A list of values of one kind, at least `min` of them. Default of `min`: 0. */
  list: <O, I>(
    of: Option<O, I, Presence>,
    { min = 0 }: { readonly min?: number } = {},
  ): Option<readonly O[], readonly I[]> =>
    guardedOption(
      (value): value is readonly unknown[] => Array.isArray(value) && value.length >= min,
      {
        what: `a list${min > 0 ? ` of at least ${min}` : ''}, each ${of.what}`,
        ...secrecyOf(of),
        ...(of.json && { json: { type: 'array', items: of.json, ...(min > 0 ? { minItems: min } : {}) } }),
      },
      (list, report) => list.map((each, index) => readOption(of, each, reportAt(report, index))),
    ),

  /** An object with any keys, and values of one kind. */
  record: <O, I>(
    of: Option<O, I, Presence>,
  ): Option<Readonly<Record<string, O>>, Readonly<Record<string, I>>> =>
    guardedOption(
      isObject,
      {
        what: `an object, each value ${of.what}`,
        ...secrecyOf(of),
        ...(of.json && { json: { type: 'object', additionalProperties: of.json } }),
      },
      (object, report) =>
        Object.fromEntries(
          Object.entries(object).map(([key, each]) => [key, readOption(of, each, reportAt(report, key))]),
        ),
    ),

  /** HTTP headers by name. The values are secrets. */
  headers: (): Option<Readonly<Record<string, string>>> =>
    option.record(option.text().secret()).map((headers, report) => {
      for (const [name, value] of Object.entries(headers)) {
        const fault = headerFault(name, value);
        if (fault !== undefined) report(`it cannot be sent: ${fault}`, name);
      }
      return headers;
    }),

  /** An object with these options. Other keys are reported, with the nearest known one. */
  object: <S extends Shape>(shape: S): Option<ShapeOutput<S>, ShapeInput<S>> =>
    guardedOption(
      isObject,
      {
        what: `an object with ${inShort(Object.keys(shape))}`,
        json: shapeSchema(shape),
        ...meantByKeys(shape),
      },
      (object, report) => readShape(shape, object, report),
    ),

  /**
   * A value that one of these options accepts. The first of them reads it; for an object, options that accept the value
   * of a required key come first, then those whose required key is present.
   */
  either: <const O extends readonly [AnyOption, AnyOption, ...AnyOption[]]>(
    ...options: O
  ): Option<OutputOf<O[number]>, InputOf<O[number]>> =>
    makeOption({
      what: options.flatMap(({ what }) => (what === '' ? [] : [what])).join(', or '),
      is: (value) => options.some((each) => each.is(value)),
      read: (value, report) => {
        const takers = options.filter((each) => each.is(value));
        const meant =
          takers.find(({ isMeant }) => isMeant?.(value, 'value') ?? true) ??
          takers.find(({ isMeant }) => isMeant?.(value, 'key')) ??
          takers[0];
        // `is` found an option that accepts the value.
        return meant?.read(value, report) as OutputOf<O[number]>;
      },
      advise: (value) => options.map((each) => each.advise?.(value)).find((advice) => advice !== undefined),
      ...secrecyOf(...options),
      ...eitherSchema(options),
    }),

  /** A model as a config names it, or a ChatModel in code. `resolveModel` of a plugin's `setup` makes the model. */
  model: (): Option<ModelName> =>
    guardedOption(
      // `resolveModel` checks the rest.
      (value): value is ModelName =>
        (typeof value === 'string' && value !== '') || isObject(value) || isChatModel(value),
      {
        what: 'a model, as in `model` of a config, or in code a ChatModel',
        json: { type: ['string', 'object'] },
      },
    ),

  /** A function. Code only. */
  callback: <F extends (...args: never[]) => unknown>(): Option<F> =>
    // Its parameters and result cannot be checked in advance.
    guardedOption((value): value is F => typeof value === 'function', { what: 'in code a function' }),

  /**
   * A value that only code can supply: `option.code('in code a Date', (value) => value instanceof Date)`. With an empty
   * `what`, the messages of `either` leave it out.
   */
  code: <T>(what: string, is: (value: unknown) => value is T): Option<T> => guardedOption(is, { what }),

  /** A JSON object with any keys. */
  jsonObject: (): Option<JsonObject> =>
    // Its members are checked where they are sent or stored.
    guardedOption((value): value is JsonObject => isObject(value), {
      what: 'a JSON object',
      json: { type: 'object', additionalProperties: {} },
    }),

  /** Any value; in a file, any JSON value. */
  anything: (): Option<unknown> =>
    makeOption({ what: 'any value', is: () => true, read: (value) => value, json: {} }),
});

/**
 * Creates the schema of a plugin's options: a Standard Schema that also supplies JSON Schema for values that a config
 * file can hold. It reports all problems at once, each with its path, the value received, and the expected value.
 */
export function optionsSchema<S extends Shape>(
  shape: S,
): StandardSchemaWithJson<ShapeInput<S>, ShapeOutput<S>> {
  const options = option.object(shape);
  const schema = shapeSchema(shape);
  return {
    '~standard': {
      version: 1,
      vendor: 'shallot',
      validate(value) {
        const { issues, output } = readWhole(options, value);
        return issues.length > 0 ? { issues } : { value: output };
      },
      jsonSchema: { input: () => ({ ...schema }), output: () => ({ ...schema }) },
    },
  };
}

function scalar<T extends JsonValue>(
  what: string,
  is: (value: unknown) => boolean,
  json: JsonSchema,
  advise: Kind<T>['advise'] = () => undefined,
): Option<T> {
  return guardedOption((value): value is T => is(value), { what, json, advise });
}

function numeric(
  type: 'number' | 'integer',
  what: string,
  is: (value: unknown) => boolean,
  bounds: Bounds,
): Option<number> {
  return scalar(`${what}${inWords(bounds)}`, (value) => is(value) && isWithin(Number(value), bounds), {
    type,
    ...keywordsOf(bounds),
  });
}

/**
 * Returns true for plain objects, including those of another realm. Instances such as `Map` are excluded, since their
 * keys are not options.
 */
function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** A secret may be given to the wrong option of several, so all are treated as secret. */
function secrecyOf(...options: readonly AnyOption[]): Pick<Kind<unknown>, 'isSecret'> {
  return options.some(({ isSecret }) => isSecret === true) ? { isSecret: true } : {};
}

function meantByKeys(shape: Shape): Pick<Kind<unknown>, 'isMeant'> {
  const required = Object.keys(shape).filter((name) => shape[name]?.presence === 'required');
  if (required.length === 0) return {};
  return {
    isMeant: (value, by) =>
      isObject(value) &&
      required.some(
        (name) => Object.hasOwn(value, name) && (by === 'key' || shape[name]?.is(value[name]) === true),
      ),
  };
}

function inShort(names: readonly string[]): string {
  return names.length > 8 ? `${names.slice(0, 8).join(', ')} …` : names.join(', ');
}

/** Joins texts as "a, b or c". */
function joinWithOr(texts: readonly string[]): string {
  const last = texts.at(-1) ?? '';
  return texts.length < 2 ? last : `${texts.slice(0, -1).join(', ')} or ${last}`;
}

function isWithin(value: number, { min, above, max, below }: Bounds): boolean {
  return (
    (min === undefined || value >= min) &&
    (above === undefined || value > above) &&
    (max === undefined || value <= max) &&
    (below === undefined || value < below)
  );
}

function inWords({ min, above, max, below }: Bounds): string {
  const bounds = Object.entries({ 'of at least': min, above, 'of at most': max, below }).flatMap(
    ([words, bound]) => (bound === undefined ? [] : [`${words} ${bound}`]),
  );
  return bounds.length === 0 ? '' : ` ${bounds.join(' and ').replace('and of', 'and')}`;
}

function keywordsOf({ min, above, max, below }: Bounds): JsonSchema {
  return {
    ...(min === undefined ? {} : { minimum: min }),
    ...(above === undefined ? {} : { exclusiveMinimum: above }),
    ...(max === undefined ? {} : { maximum: max }),
    ...(below === undefined ? {} : { exclusiveMaximum: below }),
  };
}

function eitherSchema(options: readonly AnyOption[]): { readonly json?: JsonSchema } {
  const schemas = options.flatMap(({ json }) => (json === undefined ? [] : [json]));
  const [first, ...others] = schemas;
  if (first === undefined) return {};
  return { json: others.length === 0 ? first : { anyOf: schemas } };
}
