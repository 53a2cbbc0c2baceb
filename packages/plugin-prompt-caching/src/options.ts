import { option, optionsSchema, type ShapeOutput, type StandardSchemaWithJson } from '@shallot/core/plugin';

/** The options of prompt caching. */
export interface PromptCachingOptions {
  /** How long the provider keeps what it caches. Default: the provider's own, 5 minutes for most. */
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

/** The options as the plugin works with them. */
export type Settings = ShapeOutput<typeof shape>;

/** The options' schema; also as JSON Schema, for what a config file can hold. */
export const promptCachingOptions: StandardSchemaWithJson<PromptCachingOptions, Settings> =
  optionsSchema(shape);
