import { option, optionsSchema, type ShapeOutput, type StandardSchemaWithJson } from '@shallot/core/plugin';

export interface ContextEditingOptions {
  /** Only the last messages are sent; leading system messages and the last one of the user always are. */
  readonly lastN?: number;
  /** Tool calls and their results are left out, those since the last message of the user excepted. Default: false. */
  readonly stripToolCalls?: boolean;
  /** Old results of tools are replaced by a stub. */
  readonly clearToolResults?: ClearToolResultsOptions;
  /** Changes the session's messages, too, and not only what is sent. Default: false. */
  readonly persist?: boolean;
}

export interface ClearToolResultsOptions {
  /** Above how many tokens of messages results are cleared. Default: half of the model's context; 100,000 if it is unknown. */
  readonly trigger?: number;
  /** How many of the last results stay. Default: 3. */
  readonly keep?: number;
  /** Tools whose results stay, by name or pattern. Default: none. */
  readonly exclude?: readonly string[];
  /** Clears the arguments of the calls, too. Default: false. */
  readonly clearInputs?: boolean;
}

const shape = {
  lastN: option
    .integer({ min: 1 })
    .describe(
      'Only the last messages are sent; leading system messages and the last one of the user always are.',
    ),
  stripToolCalls: option
    .boolean()
    .default(false)
    .describe('Leaves tool calls and their results out, those since the last message of the user excepted.'),
  clearToolResults: option
    .object({
      trigger: option.integer({ min: 1 }),
      keep: option.integer({ min: 0 }).default(3),
      exclude: option.list(option.text("a tool's name or pattern", /./)).default([]),
      clearInputs: option.boolean().default(false),
    })
    .describe('Replaces old results of tools by a stub.'),
  persist: option
    .boolean()
    .default(false)
    .describe("Changes the session's messages, too, and not only what is sent."),
};

/** The options as the plugin works with them. */
export type Settings = ShapeOutput<typeof shape>;

/** The options' schema; also as JSON Schema, for what a config file can hold. */
export const contextEditingOptions: StandardSchemaWithJson<ContextEditingOptions, Settings> =
  optionsSchema(shape);
