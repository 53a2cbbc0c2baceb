import {
  option,
  optionsSchema,
  tokenSizeOption,
  type ShapeOutput,
  type StandardSchemaWithJson,
  type TokenSize,
} from '@shallot/core/plugin';

/** Options of the plugin. The first three apply in this order and can be combined. */
export interface ContextEditingOptions {
  /**
   * Sends at most the last n messages, beginning with a user message; leading system messages and the user's last
   * message are always sent. Default: all.
   */
  readonly lastN?: number;
  /** Leaves out tool calls and their results, except those since the user's last message. Default: false. */
  readonly stripToolCalls?: boolean;
  /** Replaces old tool results with a stub. Default: off. */
  readonly clearToolResults?: ClearToolResultsOptions;
  /** Also changes the session's messages, not only the messages sent to the model. Default: false. */
  readonly persist?: boolean;
}

/** Settings for clearing old tool results. */
export interface ClearToolResultsOptions {
  /** Clears results when the messages exceed this size. Default: half of the model's context; 100,000 tokens if it is unknown. */
  readonly trigger?: TokenSize;
  /**
   * Size that a clearing must free. If stubs for results do not free enough, earlier calls are left out with their
   * stubs; if even that does not, nothing changes. Default: two fifths of the trigger.
   */
  readonly clearAtLeast?: TokenSize;
  /** Number of most recent results to keep. Default: 3. */
  readonly keep?: number;
  /** Tools whose results are never cleared, by name or pattern. Default: none. */
  readonly exclude?: readonly string[];
  /** Also clears the arguments of the calls whose results are cleared. Default: false. */
  readonly clearInputs?: boolean;
}

const shape = {
  lastN: option
    .integer({ min: 1 })
    .describe(
      'Only the last messages are sent, beginning with one of the user; leading system messages and the last one of the user always are.',
    ),
  stripToolCalls: option
    .boolean()
    .default(false)
    .describe('Leaves tool calls and their results out, those since the last message of the user excepted.'),
  clearToolResults: option
    .object({
      trigger: tokenSizeOption.describe(
        "Size of the messages above which results are cleared. Default: half of the model's context; 100,000 tokens if it is unknown.",
      ),
      clearAtLeast: tokenSizeOption.describe(
        'Size that a clearing must free; earlier calls go altogether if stubs do not. Default: two fifths of the trigger.',
      ),
      keep: option.integer({ min: 0 }).default(3).describe('Number of most recent results to keep.'),
      exclude: option
        .list(option.text("a tool's name or pattern", /./))
        .default([])
        .describe('Tools whose results are never cleared, by name or pattern.'),
      clearInputs: option.boolean().default(false).describe('Also clears the arguments of those calls.'),
    })
    .describe('Replaces old results of tools by a stub.'),
  persist: option
    .boolean()
    .default(false)
    .describe("Changes the session's messages, too, and not only what is sent."),
};

/** The options with defaults. */
export type Settings = ShapeOutput<typeof shape>;

/** The schema of the options, which is also available as JSON Schema for config files. */
export const contextEditingOptions: StandardSchemaWithJson<ContextEditingOptions, Settings> =
  optionsSchema(shape);
