import { option } from './options-schema.ts';

const perMillion = option.number({ min: 0 });

/** An option for prices: a `PriceSource`, for `loadPrices`. */
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
