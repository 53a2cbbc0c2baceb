import { option, optionsSchema, type ShapeOutput, type StandardSchemaWithJson } from '@shallot/core/plugin';

/** Options of the plugin. A `*` in a tool name matches any characters. */
export interface ToolsetOptions {
  /** Tools that the model neither sees nor can call, by name or pattern. Default: none. */
  readonly hide?: readonly string[];
  /** Replacement descriptions, by tool name or pattern. Default: none. */
  readonly describe?: Readonly<Record<string, string>>;
  /** Tools whose result ends the run as its answer, by name or pattern. Default: none. */
  readonly returnDirectly?: readonly string[];
  /** Offers a tool that searches for tools instead of offering all of them. Default: off. */
  readonly search?: SearchOptions;
}

/** Settings for the search tool. */
export interface SearchOptions {
  /** Number of tools above which only the search tool and the tools in `offer` are offered. Default: 30. */
  readonly above?: number;
  /** Tools to offer always, by name or pattern. Default: none. */
  readonly offer?: readonly string[];
  /** Tools that a search returns; with ties for the last place, at most twice as many. Default: 5. */
  readonly limit?: number;
  /** Name of the search tool. Default: `search_tools`. */
  readonly toolName?: string;
}

const pattern = option.text("a tool's name, in which * stands for any characters", /./);

const shape = {
  hide: option.list(pattern).default([]).describe('Tools that the model does not see and cannot call.'),
  describe: option.record(option.text()).default({}).describe('Other descriptions, by tool.'),
  returnDirectly: option.list(pattern).default([]).describe('Tools whose result ends the run as its answer.'),
  search: option
    .object({
      above: option
        .integer({ min: 0 })
        .default(30)
        .describe('Number of tools above which only the search tool and the tools in offer are offered.'),
      offer: option.list(pattern).default([]).describe('Tools to offer always, by name or pattern.'),
      limit: option
        .integer({ min: 1, max: 50 })
        .default(5)
        .describe('Tools that a search returns; with ties for the last place, at most twice as many.'),
      toolName: option.toolName().default('search_tools').describe('Name of the search tool.'),
    })
    .describe('Offers a tool that finds tools instead of all of them.'),
};

/** The options with defaults. */
export type Settings = ShapeOutput<typeof shape>;

/** The schema of the options, which is also available as JSON Schema for config files. */
export const toolsetOptions: StandardSchemaWithJson<ToolsetOptions, Settings> = optionsSchema(shape);
