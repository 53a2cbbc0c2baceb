import { ShallotError } from '@shallot/core';
import type { ChatModel, ModelName } from '@shallot/core/model';
import {
  option,
  optionsSchema,
  sizeOption,
  type ShapeOutput,
  type Size,
  type StandardSchemaWithJson,
} from '@shallot/core/plugin';

import { halfOf, isAtLeast } from './is-reached.ts';
import { defaultMessage, defaultPrompt } from './prompts.ts';

/** Options of the plugin: when to condense, how much to keep, and how to summarize. */
export interface SummarizationOptions {
  /**
   * Sizes at which to condense; any one is enough. Default: 85 % of the model's context; 170,000 tokens if it is
   * unknown.
   */
  readonly trigger?: Size | readonly Size[];
  /**
   * Size of the most recent part to keep unchanged. Default: 10 % of the model's context; 6 messages if it is unknown.
   */
  readonly keep?: Size;
  /** Cuts long arguments of old tool calls first; `null` turns this off. Default: on. */
  readonly truncateArguments?: TruncationOptions | null;
  /**
   * Directory for the files that keep all messages, one per session; `null` keeps none. Default:
   * `/conversation_history`.
   */
  readonly historyDirectory?: string | null;
  /** Action if a summary fails: `keep` leaves the history as it is, `throw` fails the run. Default: `keep`. */
  readonly onFailure?: 'keep' | 'throw';
  /**
   * Model that writes summaries: a name or entry as for `model` in a config, or in code a `ChatModel`. Default: the
   * run's.
   */
  readonly model?: ModelName;
  /** Milliseconds for a summary, or for one piece of it. Default: 120,000. */
  readonly timeoutMs?: number;
  /**
   * Tokens that the model may write for a summary, including its reasoning; at most an eighth of the context. Default:
   * 8,192.
   */
  readonly maxSummaryTokens?: number;
  /** Instructions for the model that writes the summary. Default: built in. */
  readonly prompt?: string;
  /** Message that replaces the condensed messages: a string with `{summary}` and `{path}`. Default: built in. */
  readonly message?: string;
  /** Adds the tool `compact_conversation`, with which the model can request condensing. Default: false. */
  readonly compactTool?: boolean;
}

/** Settings for cutting long arguments of old tool calls. */
export interface TruncationOptions {
  /** Size at which to cut arguments. Default: 85 % of the model's context; 20 messages if it is unknown. */
  readonly trigger?: Size;
  /**
   * Size of the most recent part to keep unchanged. Default: 10 % of the model's context; 20 messages if it is
   * unknown.
   */
  readonly keep?: Size;
  /** Longest string to keep whole, in characters. Default: 2,000. */
  readonly maxLength?: number;
  /** Text after the first 20 characters of a cut string. Default: `...(argument truncated)`. */
  readonly text?: string;
  /** Tools whose calls are cut. Default: `write_file`, `edit_file`. */
  readonly tools?: readonly string[];
}

const truncation = {
  trigger: sizeOption.describe('When to cut arguments.'),
  keep: sizeOption.describe('How much of the end of the conversation keeps its arguments.'),
  maxLength: option
    .integer({ min: 20 })
    .default(2000)
    .describe('The longest string to keep whole, in characters.'),
  text: option
    .text()
    .default('...(argument truncated)')
    .describe('The text after the first 20 characters of a cut string.'),
  tools: option
    .list(option.text('the name of a tool'))
    .default(['write_file', 'edit_file'])
    .describe('The tools whose calls are cut.'),
};

const shape = {
  trigger: option
    .either(sizeOption, option.list(sizeOption, { min: 1 }))
    .map((trigger): readonly Size[] => (isList(trigger) ? trigger : [trigger]))
    .describe('When to summarize: at the first of these sizes that is reached.'),
  keep: sizeOption.describe('How much of the end of the conversation stays unchanged.'),
  truncateArguments: option
    .either(option.oneOf(null), option.object(truncation))
    .default({})
    .describe('Cuts long arguments of old tool calls first; null turns it off.'),
  historyDirectory: option
    .either(option.oneOf(null), option.text('an absolute path, such as /conversation_history', /^\/./))
    .default('/conversation_history')
    .describe('The directory for files of all messages; null keeps none.'),
  onFailure: option.oneOf('keep', 'throw').default('keep').describe('The effect of a failing summary.'),
  model: option.model().describe('The model that writes summaries.'),
  timeoutMs: option
    .number({ above: 0, max: 3_600_000 })
    .default(120_000)
    .describe('How many milliseconds a model may take for a summary, or a piece of one.'),
  maxSummaryTokens: option
    .integer({ min: 200 })
    .default(8192)
    .describe('The most tokens of a summary, reasoning included; at most an eighth of the context.'),
  prompt: option.text().default(defaultPrompt).describe('The instructions for a summary.'),
  message: option
    .text('a string that contains {summary}', /\{summary\}/)
    .default(defaultMessage)
    .describe('The text that replaces the summarized messages, with {summary} and {path}.'),
  compactTool: option.boolean().default(false).describe('Gives the model a tool to request a summary.'),
};

/** The options with defaults. */
export type Settings = ShapeOutput<typeof shape>;

/** The schema of the options; also available as JSON Schema, for editors of config files. */
export const summarizationOptions: StandardSchemaWithJson<SummarizationOptions, Settings> =
  optionsSchema(shape);

/** Trigger and keep sizes with their defaults, for a context size. */
export interface Sizes {
  readonly contextTokens: number | undefined;
  readonly trigger: readonly Size[];
  /** The kept part must fit all of these sizes. */
  readonly keep: readonly Size[];
  readonly truncation: { readonly trigger: Size; readonly keep: readonly Size[] };
}

export function sizesFor(settings: Settings, contextTokens: number | undefined): Sizes {
  const known = contextTokens !== undefined;
  const { trigger, keep, truncateArguments } = settings;
  const truncation: TruncationOptions = truncateArguments ?? {};
  return {
    contextTokens,
    trigger: trigger ?? [known ? { fraction: 0.85 } : { tokens: 170_000 }],
    keep: keepSizes(keep, known ? { fraction: 0.1 } : { messages: 6 }, trigger),
    truncation: {
      trigger: truncation.trigger ?? (known ? { fraction: 0.85 } : { messages: 20 }),
      keep: keepSizes(
        truncation.keep,
        known ? { fraction: 0.1 } : { messages: 20 },
        truncation.trigger && [truncation.trigger],
      ),
    },
  };
}

/** Returns the keep sizes. The default suits a large trigger; with a smaller one, at most half of it is kept. */
function keepSizes(given: Size | undefined, byDefault: Size, trigger: readonly Size[] = []): readonly Size[] {
  return given === undefined ? [byDefault, ...trigger.map(halfOf)] : [given];
}

/**
 * Checks the sizes of the options. @throws `summarization/CONTEXT_UNKNOWN` for a fraction of an unknown context size,
 * `summarization/KEEP_TOO_LARGE` if a trigger size would be kept entirely
 */
export function checkSizes(settings: Settings, model: ChatModel): void {
  checkFractions(settings, model);
  const { trigger = [], keep } = settings;
  const small = keep && trigger.find((size) => isAtLeast(keep, size, model.limits?.contextTokens));
  if (small === undefined) return;
  throw new ShallotError('summarization/KEEP_TOO_LARGE', {
    message: `keep is ${JSON.stringify(keep)}, and trigger ${JSON.stringify(small)}: nothing would be left to summarize. Make keep smaller than each trigger, for example half of it.`,
  });
}

function checkFractions(settings: Settings, model: ChatModel): void {
  if (model.limits?.contextTokens !== undefined) return;
  const { trigger = [], keep, truncateArguments } = settings;
  const given = [...trigger, keep, truncateArguments?.trigger, truncateArguments?.keep];
  if (!given.some((size) => size !== undefined && 'fraction' in size)) return;
  throw new ShallotError('summarization/CONTEXT_UNKNOWN', {
    message: `A size is a fraction, but the context size of ${model.id} is unknown. Set limits.contextTokens of the model (in a config: contextTokens in the model entry), or write the size as { tokens } or { messages }.`,
  });
}

function isList<T>(value: T | readonly T[]): value is readonly T[] {
  return Array.isArray(value);
}
