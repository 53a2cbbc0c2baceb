import { showValue } from '../base/describe-value.ts';
import type { JsonSchema } from '../base/schema.ts';

/** Reports a problem with a value, or with the value at a path inside it. */
export type Report = (message: string, ...path: readonly (string | number)[]) => void;

/** The presence of an option in the user's options; with a `default`, `setup` always receives a value. */
export type Presence = 'optional' | 'default' | 'required';

/** The values that an option accepts. */
export interface Kind<Output> {
  /** The expected value. Completes "it is 5; write …". */
  readonly what: string;
  /** Returns true if a value is of this kind. `read` checks the content of an object or a list. */
  readonly is: (value: unknown) => boolean;
  /** Returns the value that the plugin receives. Called only with values that `is` accepts. */
  readonly read: (value: unknown, report: Report) => Output;
  /** The JSON Schema of this kind; absent for values that only code can supply. */
  readonly json?: JsonSchema;
  /** Returns specific advice for a value that is not of this kind, if there is any. */
  readonly advise?: (value: unknown) => string | undefined;
  /** Returns true if a value was meant to be of this kind, among several that accept it. Default: `is`. */
  readonly isMeant?: (value: unknown, by: 'key' | 'value') => boolean;
  /** Keeps values out of messages. */
  readonly isSecret?: boolean;
}

/**
 * One option: `Input` is the value that users write, `Output` the one that `setup` receives. Options are frozen; each
 * method returns a new one.
 */
export interface Option<Output, Input = Output, P extends Presence = 'optional'> extends Kind<Output> {
  readonly presence: P;
  /** The value used when the option is missing; it is read like a user's value. */
  readonly fallback: unknown;
  default(value: Input): Option<Output, Input, 'default'>;
  required(): Option<Output, Input, 'required'>;
  /** Adds the description that editors show. */
  describe(text: string): Option<Output, Input, P>;
  /** Keeps the option's values out of messages, including those of a list or record of it. */
  secret(): Option<Output, Input, P>;
  /** Converts valid values, or reports problems with them. */
  map<Mapped>(change: (value: Output, report: Report) => Mapped): Option<Mapped, Input, P>;
}

/** Any option. */
export type AnyOption = Option<unknown, never, Presence>;

/** Creates an optional option of a kind. */
export function makeOption<Output, Input = Output>(kind: Kind<Output>): Option<Output, Input> {
  return withPresence<Output, Input, 'optional'>(kind, 'optional', undefined);
}

/** Creates an option whose `is` is a type guard; without `read`, values are passed on unchanged. */
export function guardedOption<Value, Input = Value>(
  is: (value: unknown) => value is Value,
  kind: Omit<Kind<Value>, 'is' | 'read'>,
): Option<Value, Input>;
export function guardedOption<Value, Output, Input = Output>(
  is: (value: unknown) => value is Value,
  kind: Omit<Kind<Output>, 'is' | 'read'>,
  read: (value: Value, report: Report) => Output,
): Option<Output, Input>;
export function guardedOption<Value>(
  is: (value: unknown) => value is Value,
  kind: Omit<Kind<unknown>, 'is' | 'read'>,
  read: (value: Value, report: Report) => unknown = (value) => value,
): Option<unknown> {
  // `read` is called only for values that `is` accepts.
  return makeOption({ ...kind, is, read: (value, report) => read(value as Value, report) });
}

function withPresence<Output, Input, P extends Presence>(
  kind: Kind<Output>,
  presence: P,
  fallback: unknown,
): Option<Output, Input, P> {
  return Object.freeze({
    ...kind,
    presence,
    fallback,
    default: (value: Input) =>
      withPresence(typeof value === 'function' ? kind : withJson(kind, 'default', value), 'default', value),
    required: () => withPresence<Output, Input, 'required'>(kind, 'required', undefined),
    describe: (text: string) => withPresence(withJson(kind, 'description', text), presence, fallback),
    secret: () => withPresence({ ...withJson(kind, 'writeOnly', true), isSecret: true }, presence, fallback),
    map: <Mapped>(change: (value: Output, report: Report) => Mapped) =>
      withPresence({ ...kind, read: mapped(kind, change) }, presence, fallback),
  });
}

function withJson<Output>(kind: Kind<Output>, keyword: string, value: unknown): Kind<Output> {
  // The reader of the JSON Schema validates it.
  return kind.json === undefined ? kind : { ...kind, json: { ...kind.json, [keyword]: value } as JsonSchema };
}

function mapped<Output, Mapped>(
  kind: Kind<Output>,
  change: (value: Output, report: Report) => Mapped,
): Kind<Mapped>['read'] {
  return (value, report) => {
    let isRight = true;
    const output = kind.read(value, (...issue) => {
      isRight = false;
      report(...issue);
    });
    // A value with issues is not used.
    return isRight ? change(output, report) : (undefined as Mapped);
  };
}

/** Reads a value, and reports it if the option does not accept it. */
export function readOption<Output>(
  option: Option<Output, never, Presence>,
  value: unknown,
  report: Report,
): Output {
  if (option.is(value)) return option.read(value, report);
  const shown = option.isSecret === true ? 'not valid' : showValue(value);
  report(`it is ${shown}; ${option.advise?.(value) ?? `write ${option.what}`}`);
  // A value with issues is not used.
  return undefined as Output;
}

/** Returns a report function for the value at a key. */
export function reportAt(report: Report, key: string | number): Report {
  return (message, ...path) => report(message, key, ...path);
}

/** A fault of a value, and its place. The message calls the value "it". */
export interface OptionIssue {
  readonly message: string;
  readonly path: readonly (string | number)[];
}

/** Reads a value, and returns all its issues. */
export function readWhole<Output>(
  option: Option<Output, never, Presence>,
  value: unknown,
): { readonly output: Output; readonly issues: readonly OptionIssue[] } {
  const issues: OptionIssue[] = [];
  const output = readOption(option, value, (message, ...path) => issues.push({ message, path }));
  return { output, issues };
}
