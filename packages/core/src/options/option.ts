import { showValue } from '../base/describe-value.ts';
import type { JsonSchema } from '../base/schema.ts';

/** Notes what is wrong with a value, or with what is at a path inside it. */
export type Report = (message: string, ...path: readonly (string | number)[]) => void;

/** Whether an option may be left out; with a `default`, `setup` finds it all the same. */
export type Presence = 'optional' | 'default' | 'required';

/** What values of an option are like. */
export interface Kind<Output> {
  /** What may be written: it completes "it is 5; write …". */
  readonly what: string;
  /** Whether a value is of this kind; what is inside an object or a list is for `read` to judge. */
  readonly is: (value: unknown) => boolean;
  /** The value as the plugin gets it. Called only with what `is` said yes to. */
  readonly read: (value: unknown, report: Report) => Output;
  /** The same as JSON Schema; absent for what only code can give. */
  readonly json?: JsonSchema;
  /** What to do about a value that is not of this kind, where more can be said than what may be written. */
  readonly advise?: (value: unknown) => string | undefined;
  /** Of several kinds that take a value, tells whether it was meant to be this one; absent where `is` tells. */
  readonly isMeant?: (value: unknown) => boolean;
  /** Whether messages must not show values. */
  readonly isSecret?: boolean;
}

/** One option: `Input` is what users write, `Output` what `setup` gets. Options are frozen; each method gives another. */
export interface Option<Output, Input = Output, P extends Presence = 'optional'> extends Kind<Output> {
  readonly presence: P;
  /** What stands for it when it is left out; read like what a user writes. */
  readonly fallback: unknown;
  default(value: Input): Option<Output, Input, 'default'>;
  required(): Option<Output, Input, 'required'>;
  /** Adds what editors show about it. */
  describe(text: string): Option<Output, Input, P>;
  /** Keeps its values out of messages, and those of a list or record of it. */
  secret(): Option<Output, Input, P>;
  /** Makes something else of values that are right so far, or reports what is wrong with them. */
  map<Mapped>(change: (value: Output, report: Report) => Mapped): Option<Mapped, Input, P>;
}

/** Any option. */
export type AnyOption = Option<unknown, never, Presence>;

/** An option of a kind, which may be left out. */
export function makeOption<Output, Input = Output>(kind: Kind<Output>): Option<Output, Input> {
  return withPresence<Output, Input, 'optional'>(kind, 'optional', undefined);
}

/** An option of a kind of which `is` tells the type that `read` gets; without `read`, values stay as they are. */
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
  // Only what `is` has said yes to is read.
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
  // Whoever asks for the JSON Schema checks that it is JSON.
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
    // With an issue, nothing is made of the value.
    return isRight ? change(output, report) : (undefined as Mapped);
  };
}

/** Reads a value of whatever kind: one that the option cannot be is reported. */
export function readOption<Output>(
  option: Option<Output, never, Presence>,
  value: unknown,
  report: Report,
): Output {
  if (option.is(value)) return option.read(value, report);
  const shown = option.isSecret === true ? 'not valid' : showValue(value);
  report(`it is ${shown}; ${option.advise?.(value) ?? `write ${option.what}`}`);
  // With an issue, nothing is made of the value.
  return undefined as Output;
}

/** Reports about what is at a key. */
export function reportAt(report: Report, key: string | number): Report {
  return (message, ...path) => report(message, key, ...path);
}

/** What is wrong with a value, and where in it. The message speaks of what is there as "it". */
export interface OptionIssue {
  readonly message: string;
  readonly path: readonly (string | number)[];
}

/** Reads a value with all that is wrong with it. */
export function readWhole<Output>(
  option: Option<Output, never, Presence>,
  value: unknown,
): { readonly output: Output; readonly issues: readonly OptionIssue[] } {
  const issues: OptionIssue[] = [];
  const output = readOption(option, value, (message, ...path) => issues.push({ message, path }));
  return { output, issues };
}
