import { costOf, loadPrices, type Prices } from '@shallot/core/plugin';

import type { Settings } from './options.ts';

/** Returns the prices for the options: those of `prices`, and the price of `unpriced` for other models. */
export async function pricesOf({ prices, unpriced }: Pick<Settings, 'prices' | 'unpriced'>): Promise<Prices> {
  const known = prices && (await loadPrices(prices));
  const other = unpriced === 'refuse' ? undefined : await loadPrices({ other: unpriced });
  return (model, usage, served) =>
    (known && costOf(known, model, usage, served)) ?? other?.('other', usage, served);
}
