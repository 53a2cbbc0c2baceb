import { option, optionsSchema, type ShapeOutput, type StandardSchemaWithJson } from '@shallot/core/plugin';

/** The options of prompt caching. */
export interface PromptCachingOptions {
  /** The time that the provider keeps its cache. Default: the provider's own, usually 5 minutes. */
  readonly ttl?: '5m' | '1h';
  /** Warns when instructions or tools change from one step to the next. Default: true. */
  readonly warn?: boolean;
}

const shape = {
  ttl: option.oneOf('5m', '1h').describe('How long the provider keeps what it caches.'),
  warn: option
    .boolean()
    .default(true)
    .describe('Warns when instructions or tools change from one step to the next.'),
};

/** The options with defaults. */
export type Settings = ShapeOutput<typeof shape>;

/** The schema of the options, which is also available as JSON Schema for config files. */
export const promptCachingOptions: StandardSchemaWithJson<PromptCachingOptions, Settings> =
  optionsSchema(shape);
