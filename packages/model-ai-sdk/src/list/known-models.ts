import { isShallotError } from '@shallot/core';

import { isJsonObject, toJson } from '../sdk/metadata.ts';
import { isForConversations, type ListedModel } from './listed-model.ts';

const data = '@pydantic/genai-prices';

/** The providers' names in the data of `@pydantic/genai-prices`. */
const names: Readonly<Record<string, string>> = {
  'amazon-bedrock': 'aws',
  togetherai: 'together',
  xai: 'x-ai',
  huggingface: 'huggingface_together',
  vertex: 'google',
};

/**
 * Returns a provider's models for conversations, without deprecated ones, from `@pydantic/genai-prices`, which the user
 * installs; undefined if it is missing or not usable.
 */
export async function knownModels(
  provider: string,
  directory: string,
): Promise<readonly ListedModel[] | undefined> {
  const { importPackage } = await import('@shallot/core/config');
  const found = await importPackage(data, { directory }).catch((error: unknown) => {
    if (!isShallotError(error, 'MODULE_NOT_FOUND')) throw error;
    return undefined;
  });
  const find = found?.['findProvider'];
  if (typeof find !== 'function') return undefined;
  const known = toJson(Reflect.apply(find, undefined, [{ providerId: names[provider] ?? provider }]));
  const models = isJsonObject(known) ? known['models'] : undefined;
  if (!Array.isArray(models)) return [];
  return models.flatMap((each): ListedModel[] => {
    if (!isJsonObject(each) || typeof each['id'] !== 'string' || each['deprecated'] === true) return [];
    const { id: model, context_window: contextTokens, prices } = each;
    if (!isForConversations(model)) return [];
    const price = isJsonObject(prices) ? priceOf(prices) : undefined;
    return [
      {
        model,
        ...(typeof contextTokens === 'number' ? { contextTokens } : {}),
        ...(price === undefined ? {} : { price }),
      },
    ];
  });
}

function priceOf({
  input_mtok: input,
  output_mtok: output,
}: Readonly<Record<string, unknown>>): ListedModel['price'] {
  const [first, second] = [input, output].map((each) => (isJsonObject(each) ? each['base'] : each));
  return typeof first === 'number' && typeof second === 'number'
    ? { input: first, output: second }
    : undefined;
}
