import { ShallotError } from '../base/errors.ts';
import { reasonOf } from '../base/thrown.ts';
import type { Usage } from '../contract/usage.ts';

/** The price of a model in US dollars per million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
  /** Default: as `input`. */
  readonly cacheRead?: number;
  /** Default: as `input`. */
  readonly cacheWrite?: number;
}

/** Prices in US dollars per million tokens by model id, or the prices of `@pydantic/genai-prices`. */
export type PriceSource = 'genai-prices' | Readonly<Record<string, Price>>;

/** Returns the cost of one call in US dollars; undefined if the model's price is unknown. */
export type Prices = (model: string, usage: Usage) => number | undefined;

/** Loads the prices of a source. @throws `PRICES_MISSING` if `@pydantic/genai-prices` is required but not installed */
export async function loadPrices(source: PriceSource): Promise<Prices> {
  return source === 'genai-prices' ? publicPrices() : pricesFrom(source);
}

/** Makes `Prices` from a table with ids such as `provider/model`. */
function pricesFrom(table: Readonly<Record<string, Price>>): Prices {
  return (model, usage) => {
    const price = Object.hasOwn(table, model) ? table[model] : undefined;
    if (price === undefined) return undefined;
    const { input, output, cacheRead = input, cacheWrite = input } = price;
    const read = usage.cacheRead ?? 0;
    const written = usage.cacheWrite ?? 0;
    const fresh = Math.max(0, usage.input - read - written);
    return (fresh * input + read * cacheRead + written * cacheWrite + usage.output * output) / 1_000_000;
  };
}

/** Returns the cost of a call in US dollars; undefined if the price is unknown or its source throws. */
export function costOf(prices: Prices, model: string, usage: Usage): number | undefined {
  try {
    const cost = prices(model, usage);
    return cost !== undefined && Number.isFinite(cost) ? cost : undefined;
  } catch {
    // It knows no price of this call.
    return undefined;
  }
}

/**
 * Loads the prices of `@pydantic/genai-prices`.
 * @throws `PRICES_MISSING` if the package is not installed
 */
async function publicPrices(): Promise<Prices> {
  const { calcPrice } = await import('@pydantic/genai-prices').catch((error: unknown) => {
    throw new ShallotError('PRICES_MISSING', {
      message: `@pydantic/genai-prices cannot be loaded: ${reasonOf(error)}. Install it, or set prices by model.`,
      cause: error,
    });
  });
  return (id, { input, output, cacheRead = 0, cacheWrite = 0 }) => {
    const slash = id.indexOf('/');
    const usage = {
      input_tokens: input,
      output_tokens: output,
      cache_read_tokens: cacheRead,
      cache_write_tokens: cacheWrite,
    };
    return calcPrice(usage, id.slice(slash + 1), { providerId: id.slice(0, slash) })?.total_price;
  };
}
