import type { Screen } from './terminal/screen.ts';

/** An argument as written, `<session>` or `[plugins...]`, and its meaning. */
export type Argument = readonly [written: string, meaning: string];

/** A flag as written, `-s, --session <id>`, and its meaning. */
export type Flag = readonly [
  written: string,
  meaning: string,
  more?: { readonly default: string } | { readonly required: true },
];

/** Executes a command. Resolves to the exit status, if it is not 0. */
export type CarryOut = (...given: readonly unknown[]) => Promise<number | void>;

/** A row of the table of commands. */
export interface CommandDefinition {
  /** Includes the group, if there is one: `sessions delete`. */
  readonly name: string;
  readonly about: string;
  readonly args: readonly Argument[];
  readonly flags: readonly Flag[];
  /** Printed below the help. */
  readonly help?: string;
  readonly load: () => Promise<CarryOut>;
}

/**
 * Defines a command. Its function receives the arguments, the options and the screen, and is imported when called. The
 * compiler rejects a flag that the function does not know, an option without a flag, and a value of another type.
 */
export function defineCommand<
  const Args extends readonly Argument[],
  const Flags extends readonly Flag[],
  Given extends readonly unknown[],
>(row: {
  readonly name: string;
  readonly about: string;
  readonly args: Args;
  readonly flags: Flags;
  readonly help?: string;
  readonly load: (() => Promise<(...given: Given) => Promise<number | void>>) & Fits<Args, Flags, Given>;
}): CommandDefinition {
  // `Fits` checked that the command line matches the function's parameters.
  return row as unknown as CommandDefinition;
}

/**
 * Resolves to `unknown` if the function accepts the written arguments and flags; otherwise to the name of the flag or
 * option without a counterpart.
 */
type Fits<Args extends readonly Argument[], Flags extends readonly Flag[], Given> = Given extends readonly [
  ...unknown[],
  infer Options,
  Screen,
]
  ? [Unmatched<OptionsOf<Flags>, Options>] extends [never]
    ? [...ArgumentsOf<Args>, OptionsOf<Flags>, Screen] extends Given
      ? unknown
      : Given
    : Unmatched<OptionsOf<Flags>, Options>
  : 'The function takes arguments, options, and the screen.';

/** `debug` and `json` are handled before the call, so functions may ignore them. */
type Unmatched<Written, Options> =
  | Exclude<keyof Options, keyof Written>
  | Exclude<keyof Written, keyof Options | 'debug' | 'json'>;

type ArgumentsOf<Args extends readonly Argument[]> = {
  -readonly [Index in keyof Args]: ArgumentValue<Args[Index][0]>;
};

type ArgumentValue<Written extends string> = Written extends `${string}...${string}`
  ? readonly string[]
  : Written extends `<${string}>`
    ? string
    : string | undefined;

/** The options as a function receives them. Required ones, and those with a default, are always set. */
type OptionsOf<Flags extends readonly Flag[]> = Merged<
  {
    readonly [Each in Exclude<Flags[number], Always> as OptionName<Each[0]>]?: OptionValue<Each[0]>;
  } & {
    readonly [Each in Extract<Flags[number], Always> as OptionName<Each[0]>]: OptionValue<Each[0]>;
  }
>;

type Always = readonly [string, string, object];
type Merged<Options> = { readonly [Name in keyof Options]: Options[Name] };

type OptionName<Written extends string> = Written extends `${string}--no-${infer Name}`
  ? CamelCase<FirstWord<Name>>
  : Written extends `${string}--${infer Name}`
    ? CamelCase<FirstWord<Name>>
    : never;

type OptionValue<Written extends string> = Written extends `${string}<${string}...>`
  ? readonly string[]
  : Written extends `${string}<${string}>`
    ? string
    : Written extends `${string}[${string}]`
      ? string | true
      : boolean;

type FirstWord<Text extends string> = Text extends `${infer Word} ${string}` ? Word : Text;
type CamelCase<Text extends string> = Text extends `${infer Word}-${infer Rest}`
  ? `${Word}${Capitalize<CamelCase<Rest>>}`
  : Text;
