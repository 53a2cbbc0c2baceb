import type { ResponseFacts } from './response-facts.ts';
import type { Usage } from './usage.ts';

/** US dollars per million tokens. */
export interface TokenPrice {
  readonly input: number;
  readonly output: number;
  /** Default: as `input`. */
  readonly cacheRead?: number;
  /** Default: as `input`. */
  readonly cacheWrite?: number;
  /** For tokens that are cached for an hour. Default: twice `input`, which is what Anthropic charges. */
  readonly cacheWrite1h?: number;
}

/** The price of all tokens of a request with more than `above` input tokens. */
export interface LongPrice extends TokenPrice {
  readonly above: number;
}

/**
 * A price that may depend on the length of a request: the tier with the highest `above` that the request exceeds applies.
 */
export interface SizedPrice extends TokenPrice {
  readonly tiers?: readonly LongPrice[];
}

/** The price of a model. */
export interface Price extends SizedPrice {
  /** Prices by the provider's service tier, such as `flex` or `priority`. Default: all tiers cost the same. */
  readonly serviceTiers?: Readonly<Record<string, SizedPrice>>;
}

/**
 * Prices in US dollars per million tokens by model id, or the prices of `@pydantic/genai-prices`. In a table, `*` in an
 * id matches anything (ids without it take precedence, then the longest), `{ as }` takes the price of another model, in
 * the table or public, and `genai-prices` takes the public price of the model itself.
 */
export type PriceSource =
  | 'genai-prices'
  | Readonly<Record<string, Price | { readonly as: string } | 'genai-prices'>>;

/** The facts of a response that its price may depend on. */
export type Served = Pick<ResponseFacts, 'serviceTier'>;

/** Returns the cost of one call in US dollars; undefined if the model's price is unknown. */
export type Prices = (model: string, usage: Usage, served?: Served) => number | undefined;
