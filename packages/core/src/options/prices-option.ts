import { option } from './options-schema.ts';

const perMillion = option.number({ min: 0 });

/** An option for prices: a `PriceSource`, for `loadPrices`. */
export const pricesOption = option.either(
  option.oneOf('genai-prices'),
  option.record(
    option.object({
      input: perMillion.required().describe('US dollars per million input tokens.'),
      output: perMillion.required().describe('US dollars per million output tokens.'),
      cacheRead: perMillion.describe('For input read from a cache. Default: the price of input.'),
      cacheWrite: perMillion.describe('For input written to a cache. Default: the price of input.'),
    }),
  ),
);
