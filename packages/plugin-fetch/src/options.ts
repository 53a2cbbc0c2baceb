import { option, optionsSchema, type ShapeOutput, type StandardSchemaWithJson } from '@shallot/core/plugin';

/** Options of the plugin. */
export interface FetchOptions {
  /** Name of the tool. Default: `fetch_url`. */
  readonly toolName?: string;
  /** The only hosts to fetch from; a `*` matches any characters. Default: all. */
  readonly hosts?: readonly string[];
  /** Addresses or ranges that may be fetched from although they are private: `10.0.0.0/8`. Default: none. */
  readonly allowAddresses?: readonly string[];
  /** The most redirects to follow. Default: 5. */
  readonly maxRedirects?: number;
  /** Time limit for the page with all its redirects, in milliseconds. Default: 30,000. */
  readonly timeoutMs?: number;
  /** The most bytes to read of a page, uncompressed. Default: 2 MiB. */
  readonly maxBytes?: number;
  /** The most characters to return at once. Default: 30,000. */
  readonly maxCharacters?: number;
  /**
   * Connects through the proxy that `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY` name. Then only addresses that are
   * written as such can be checked, because the proxy resolves names. Default: false.
   */
  readonly proxy?: boolean;
}

const shape = {
  toolName: option.toolName().default('fetch_url').describe('Name of the tool.'),
  hosts: option
    .list(option.text('the name of a host, in which * stands for any characters', /^[^/:\s]+$/), { min: 1 })
    .describe('The only hosts to fetch from.'),
  allowAddresses: option
    .list(option.addressRange())
    .default([])
    .describe('Addresses or ranges that may be fetched from although they are private.'),
  maxRedirects: option.integer({ min: 0, max: 20 }).default(5).describe('The most redirects to follow.'),
  timeoutMs: option
    .integer({ min: 1, max: 600_000 })
    .default(30_000)
    .describe('Time limit for the page with all its redirects, in milliseconds.'),
  maxBytes: option
    .integer({ min: 1000, max: 50 * 1024 * 1024 })
    .default(2 * 1024 * 1024)
    .describe('The most bytes to read of a page, uncompressed.'),
  maxCharacters: option
    .integer({ min: 1000, max: 1_000_000 })
    .default(30_000)
    .describe('The most characters to return at once.'),
  proxy: option
    .boolean()
    .default(false)
    .describe(
      'Connects through the proxy of the environment, which resolves names: only literal addresses are checked.',
    ),
};

/** The options with defaults. */
export type Settings = ShapeOutput<typeof shape>;

/** The schema of the options, which is also available as JSON Schema for config files. */
export const fetchOptions: StandardSchemaWithJson<FetchOptions, Settings> = optionsSchema(shape);
