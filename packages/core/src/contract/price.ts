import type { Usage } from './usage.ts';

/** The price of a model in US dollars per million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
  /** Default: as `input`. */
  readonly cacheRead?: number;
  /** Default: as `input`. */
  readonly cacheWrite?: number;
  /** For what is kept in a cache for an hour. Default: twice `input`, which is what Anthropic charges. */
  readonly cacheWrite1h?: number;
}

/**
 * Prices in US dollars per million tokens by model id, or the prices of `@pydantic/genai-prices`. In a table, `*` in an id
 * stands for anything (an id without it comes first, then the longest), `{ as }` takes the price of another model, in the table or
 * public, and `genai-prices` the public price of the model itself.
 */
export type PriceSource =
  | 'genai-prices'
  | Readonly<Record<string, Price | { readonly as: string } | 'genai-prices'>>;

/** Returns the cost of one call in US dollars; undefined if the model's price is unknown. */
export type Prices = (model: string, usage: Usage) => number | undefined;
