import { option, optionsSchema, type ShapeOutput, type StandardSchemaWithJson } from '@shallot/core/plugin';

/** Options of the plugin: the kinds of repair to make. */
export interface RepairOptions {
  /**
   * Repairs argument text that is not JSON, and arguments with the names that other agents have for them, if the tool's schema
   * refuses what was given and accepts the result. Default: true.
   */
  readonly arguments?: boolean;
  /** Corrects a tool name that differs from exactly one offered tool by case or separators. Default: true. */
  readonly names?: boolean;
}

const shape = {
  arguments: option
    .boolean()
    .default(true)
    .describe(
      "Repairs argument text that is not JSON, and arguments with other agents' names for them, if the tool's schema then takes them.",
    ),
  names: option
    .boolean()
    .default(true)
    .describe('Corrects a tool name that differs from exactly one offered tool by case or separators.'),
};

/** The options with defaults. */
export type Settings = ShapeOutput<typeof shape>;

/** The schema of the options, which is also available as JSON Schema for config files. */
export const repairOptions: StandardSchemaWithJson<RepairOptions, Settings> = optionsSchema(shape);
