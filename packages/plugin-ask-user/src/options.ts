import { option, optionsSchema, type ShapeOutput, type StandardSchemaWithJson } from '@shallot/core/plugin';

/** Options of the plugin. */
export interface AskUserOptions {
  /** Name of the tool. Default: `ask_user`. */
  readonly toolName?: string;
  /** The most questions of one call. Default: 4. */
  readonly maxQuestions?: number;
}

const shape = {
  toolName: option.toolName().default('ask_user').describe('Name of the tool.'),
  maxQuestions: option.integer({ min: 1, max: 10 }).default(4).describe('The most questions of one call.'),
};

/** The options with defaults. */
export type Settings = ShapeOutput<typeof shape>;

/** The schema of the options, which is also available as JSON Schema for config files. */
export const askUserOptions: StandardSchemaWithJson<AskUserOptions, Settings> = optionsSchema(shape);
