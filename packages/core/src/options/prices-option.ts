import { option } from './options-schema.ts';

const perMillion = option.number({ min: 0 });

/** The option of a plugin that needs prices: `PriceSource`, for `loadPrices`. */
export const pricesOption = option.either(
  option.oneOf('genai-prices'),
  option.record(
    option.object({
      input: perMillion.required(),
      output: perMillion.required(),
      cacheRead: perMillion,
      cacheWrite: perMillion,
    }),
  ),
);
