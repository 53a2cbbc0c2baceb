import { option, optionsSchema, type ShapeOutput, type StandardSchemaWithJson } from '@shallot/core/plugin';

export interface ToolsetOptions {
  /** Tools that the model does not see and cannot call. */
  readonly hide?: readonly string[];
  /** Other descriptions, by tool. */
  readonly describe?: Readonly<Record<string, string>>;
  /** Tools whose result ends the run as its answer. */
  readonly returnDirectly?: readonly string[];
  /** Offers a tool that finds tools instead of all of them. Default: none. */
  readonly search?: SearchOptions;
}

export interface SearchOptions {
  /** With more tools than this, only the search and the tools of `offer` are offered. Default: 30. */
  readonly above?: number;
  /** Tools that are always offered. Default: none. */
  readonly offer?: readonly string[];
  /** How many tools a search finds at most. Default: 5. */
  readonly limit?: number;
  /** Default: `search_tools`. */
  readonly toolName?: string;
}

const pattern = option.text("a tool's name, in which * stands for any characters", /./);

const shape = {
  hide: option.list(pattern).default([]).describe('Tools that the model does not see and cannot call.'),
  describe: option.record(option.text()).default({}).describe('Other descriptions, by tool.'),
  returnDirectly: option.list(pattern).default([]).describe('Tools whose result ends the run as its answer.'),
  search: option
    .object({
      above: option.integer({ min: 0 }).default(30),
      offer: option.list(pattern).default([]),
      limit: option.integer({ min: 1, max: 50 }).default(5),
      toolName: option.toolName().default('search_tools'),
    })
    .describe('Offers a tool that finds tools instead of all of them.'),
};

/** The options as the plugin works with them. */
export type Settings = ShapeOutput<typeof shape>;

/** The options' schema; also as JSON Schema, for what a config file can hold. */
export const toolsetOptions: StandardSchemaWithJson<ToolsetOptions, Settings> = optionsSchema(shape);
