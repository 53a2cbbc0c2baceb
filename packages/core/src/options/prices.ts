import { ShallotError } from '../base/errors.ts';
import { reasonOf } from '../base/thrown.ts';
import type { Price, Prices, PriceSource, Served, SizedPrice, TokenPrice } from '../contract/price.ts';
import type { Usage } from '../contract/usage.ts';
import { fitsPattern } from './fits-pattern.ts';

/**
 * Loads the prices of a source. @throws `PRICES_MISSING` if `@pydantic/genai-prices` is required but cannot be loaded
 */
export async function loadPrices(source: PriceSource): Promise<Prices> {
  return source === 'genai-prices' ? publicPrices() : pricesFrom(source);
}

type PriceTable = Exclude<PriceSource, string>;

/** Creates `Prices` from a table with ids such as `provider/model`. */
async function pricesFrom(table: PriceTable): Promise<Prices> {
  const isPublic = (entry: PriceTable[string]): boolean =>
    entry === 'genai-prices' || ('as' in entry && typeof entryFor(table, entry.as) !== 'object');
  const known = Object.values(table).some(isPublic) ? await publicPrices() : undefined;
  return (model, usage, served) => {
    const entry = entryFor(table, model);
    if (entry === undefined) return undefined;
    if (entry === 'genai-prices') return known?.(model, usage);
    if (!('as' in entry)) return costAt(priceFor(entry, usage, served), usage);
    const other = entryFor(table, entry.as);
    // An alias of an alias is not followed, because it may be a cycle.
    if (typeof other === 'object')
      return 'as' in other ? undefined : costAt(priceFor(other, usage, served), usage);
    return known?.(entry.as, usage);
  };
}

/** Returns the entry with the exact id, else that of the longest matching pattern. */
function entryFor(table: PriceTable, model: string): PriceTable[string] | undefined {
  if (Object.hasOwn(table, model)) return table[model];
  const fitting = Object.keys(table).filter((id) => id.includes('*') && fitsPattern(id, model));
  const [longest = ''] = fitting.toSorted((one, other) => other.length - one.length);
  return table[longest];
}

/** Returns the price for the service tier and the length of a request. */
function priceFor(price: Price, { input }: Usage, { serviceTier = '' }: Served = {}): TokenPrice {
  const { serviceTiers = {} } = price;
  const own = Object.hasOwn(serviceTiers, serviceTier) ? serviceTiers[serviceTier] : undefined;
  const sized: SizedPrice = own ?? price;
  const reached = (sized.tiers ?? []).filter(({ above }) => input > above);
  return reached.toSorted((one, other) => other.above - one.above)[0] ?? sized;
}

function costAt(price: TokenPrice, usage: Usage): number {
  const { input, output, cacheRead = input, cacheWrite = input, cacheWrite1h = 2 * input } = price;
  const read = usage.cacheRead ?? 0;
  const written = usage.cacheWrite ?? 0;
  const longer = Math.min(usage.cacheWrite1h ?? 0, written);
  const fresh = Math.max(0, usage.input - read - written);
  const cached = read * cacheRead + (written - longer) * cacheWrite + longer * cacheWrite1h;
  return (fresh * input + cached + usage.output * output) / 1_000_000;
}

/** Returns the cost of a call in US dollars; undefined if the source throws, or returns no finite number. */
export function costOf(prices: Prices, model: string, usage: Usage, served?: Served): number | undefined {
  try {
    const cost = prices(model, usage, served);
    return Number.isFinite(cost) ? cost : undefined;
  } catch {
    // A source that throws has no price.
    return undefined;
  }
}

/** Providers whose models run locally, at no price. */
const local: ReadonlySet<string> = new Set(['ollama']);

/**
 * Loads the prices of `@pydantic/genai-prices`, those of long requests included. It has none for service tiers. @throws
 * `PRICES_MISSING` if the package cannot be loaded
 */
async function publicPrices(): Promise<Prices> {
  const { calcPrice } = await import('@pydantic/genai-prices').catch((error: unknown) => {
    throw new ShallotError('PRICES_MISSING', {
      message: `@pydantic/genai-prices cannot be loaded: ${reasonOf(error)}. Install it, or set prices by model.`,
      cause: error,
    });
  });
  return (id, { input, output, cacheRead = 0, cacheWrite = 0, cacheWrite1h = 0 }) => {
    const usage = {
      input_tokens: input,
      output_tokens: output,
      cache_read_tokens: cacheRead,
      cache_write_tokens: cacheWrite,
      cache_write_1h_tokens: cacheWrite1h,
    };
    const priceOf = ([providerId = '', ...model]: readonly string[]): number | undefined =>
      calcPrice(usage, model.join('/'), { providerId })?.total_price;
    const path = id.split('/');
    const [provider = '', ...behind] = path;
    if (local.has(provider)) return 0;
    // A gateway charges the price of the provider behind it.
    return priceOf(path) ?? priceOf(behind);
  };
}
