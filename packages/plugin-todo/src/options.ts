import { option, optionsSchema, type ShapeOutput, type StandardSchemaWithJson } from '@shallot/core/plugin';

/** Options of the plugin. */
export interface TodoOptions {
  /** Name of the tool. Default: `write_todos`. */
  readonly toolName?: string;
  /** The number of steps after which the model is shown the list again, unless it has seen it since. Default: 10. */
  readonly remindAfterSteps?: number;
  /** The most entries of the list. Default: 100. */
  readonly maxTodos?: number;
}

const shape = {
  toolName: option.toolName().default('write_todos').describe('Name of the tool.'),
  remindAfterSteps: option
    .integer({ min: 1 })
    .default(10)
    .describe('The steps after which the model is shown a list that it has not changed since.'),
  maxTodos: option.integer({ min: 1, max: 1000 }).default(100).describe('The most entries of the list.'),
};

/** The options with defaults. */
export type Settings = ShapeOutput<typeof shape>;

/** The schema of the options, which is also available as JSON Schema for config files. */
export const todoOptions: StandardSchemaWithJson<TodoOptions, Settings> = optionsSchema(shape);
