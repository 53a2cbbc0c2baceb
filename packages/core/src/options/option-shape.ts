import { ShallotError } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import { nearest } from '../base/nearest.ts';
import type { JsonSchema } from '../base/schema.ts';
import { readOption, reportAt, type AnyOption, type Option, type Presence, type Report } from './option.ts';

/** The options of an object, by name. */
export type Shape = Readonly<Record<string, AnyOption>>;

/** The validated options that `setup` receives for a shape. */
export type ShapeOutput<S extends Shape> = Flat<
  { readonly [K in NamesOf<S, 'optional'>]?: OutputOf<S[K]> } & {
    readonly [K in NamesOf<S, 'default' | 'required'>]: OutputOf<S[K]>;
  }
>;

/** The options that users write for a shape. */
export type ShapeInput<S extends Shape> = Flat<
  { readonly [K in NamesOf<S, 'optional' | 'default'>]?: InputOf<S[K]> } & {
    readonly [K in NamesOf<S, 'required'>]: InputOf<S[K]>;
  }
>;

export type OutputOf<O> = O extends Option<infer Output, never, Presence> ? Output : never;
export type InputOf<O> = O extends { default(value: infer Input): unknown } ? Input : never;

type NamesOf<S extends Shape, P extends Presence> = {
  [K in keyof S]: S[K]['presence'] extends P ? K : never;
}[keyof S];
/** The intersection makes editors show the members, and not how they were made. */
type Flat<T> = { [K in keyof T]: T[K] } & {};

/**
 * Reads the options of an object. Reports invalid values, missing options, and unknown names with the nearest known
 * one.
 */
export function readShape<S extends Shape>(
  shape: S,
  value: Readonly<Record<string, unknown>>,
  report: Report,
): ShapeOutput<S> {
  const unknown = Object.keys(value).filter((key) => !Object.hasOwn(shape, key));
  for (const key of unknown) report(unknownOption(key, Object.keys(shape)), key);
  const output: Record<string, unknown> = {};
  for (const name in shape) {
    // Called for each run; a list of the entries would dominate its cost.
    const option = shape[name];
    if (option === undefined) continue;
    // Only undefined counts as missing; null is a value.
    const given = Object.hasOwn(value, name) ? value[name] : undefined;
    const found = given === undefined ? option.fallback : given;
    if (found !== undefined) output[name] = readOption(option, found, reportAt(report, name));
    else if (option.presence === 'required' && !isMisspelt(name, unknown, shape))
      report(`it is missing; write ${option.what}`, name);
  }
  return Object.freeze(output) as ShapeOutput<S>;
}

/** Returns true if one of the unknown keys was meant to be this one: then it is not missing, and one report is enough. */
function isMisspelt(name: string, unknown: readonly string[], shape: Shape): boolean {
  return unknown.some((key) => nearest(key, Object.keys(shape)) === name);
}

/**
 * Returns the options of a function with defaults applied. @throws `OPTION_INVALID` with all unknown keys and wrong
 * values
 */
export function readOptions<S extends Shape>(what: string, shape: S, options: object): ShapeOutput<S> {
  const problems: string[] = [];
  const output = readShape(shape, { ...options }, (message, ...path) => {
    const named = `option "${path.join('.')}" of ${what}`;
    problems.push(issueSentence(message, `The ${named}`, named));
  });
  if (problems.length > 0) throw new ShallotError('OPTION_INVALID', { message: problems.join('\n') });
  return output;
}

const noSuchOption = 'there is no such option';

/** Returns true if an issue is about an option that is not in the shape. */
export function isUnknownOption(message: string): boolean {
  return message.startsWith(noSuchOption);
}

/** Returns the message for an unknown option. */
export function unknownOption(key: string, names: readonly string[] | undefined): string {
  if (names === undefined) return noSuchOption;
  const near = nearest(key, names);
  return near === undefined
    ? `${noSuchOption}; known: ${names.join(', ') || 'none'}`
    : `${noSuchOption}; did you mean "${near}"?`;
}

/** Returns an issue as a sentence about `subject`; for an unknown option, the sentence that there is no `absent`. */
export function issueSentence(message: string, subject: string, absent: string): string {
  const words = isUnknownOption(message)
    ? `There is no ${absent}${message.slice(noSuchOption.length)}`
    : message.replace(/^it\b/, () => subject);
  return asSentence(words);
}

export function asSentence(words: string): string {
  return /[.?!]$/.test(words) ? words : `${words}.`;
}

/** Returns the JSON Schema of the options that a config file can hold. */
export function shapeSchema(shape: Shape): JsonSchema {
  const properties: Record<string, JsonObject> = {};
  const required: string[] = [];
  for (const [name, { json, presence }] of Object.entries(shape)) {
    if (json === undefined) continue;
    properties[name] = json;
    if (presence === 'required') required.push(name);
  }
  return {
    type: 'object',
    properties,
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  };
}
