import { costOf, loadPrices, type PriceSource } from '@shallot/core/plugin';
import type { ListedModel, ListedModels } from '@shallot/model-ai-sdk/list';

/**
 * The size of the request for which a price is looked up: small enough that no price tier for long requests applies.
 */
const tokens = 1000;
const none = { input: 0, output: 0, total: 0 };

/**
 * Returns the models, with the prices that the config has for them, and the ids of the config's price table that the
 * provider does not list.
 */
export async function pricedModels(
  { provider, models }: ListedModels,
  source: PriceSource | undefined,
): Promise<{ readonly models: readonly ListedModel[]; readonly unlisted: readonly string[] }> {
  if (source === undefined || source === 'genai-prices') return { models, unlisted: [] };
  const prices = await loadPrices(source);
  const listed = new Set(models.map(({ model }) => `${provider}/${model}`));
  return {
    models: models.map((each) => {
      const id = `${provider}/${each.model}`;
      const input = costOf(prices, id, { ...none, input: tokens });
      const output = costOf(prices, id, { ...none, output: tokens });
      if (input === undefined || output === undefined) return each;
      return Object.assign({}, each, { price: { input: input * tokens, output: output * tokens } });
    }),
    unlisted: Object.keys(source).filter(
      (id) => !id.includes('*') && id.startsWith(`${provider}/`) && models.length > 0 && !listed.has(id),
    ),
  };
}
