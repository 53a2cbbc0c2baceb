import { option } from './options-schema.ts';

const perMillion = option.number({ min: 0 });

const tokenPrice = {
  input: perMillion.required().describe('US dollars per million input tokens.'),
  output: perMillion.required().describe('US dollars per million output tokens.'),
  cacheRead: perMillion.describe('For input read from a cache. Default: the price of input.'),
  cacheWrite: perMillion.describe('For input written to a cache. Default: the price of input.'),
  cacheWrite1h: perMillion.describe(
    'For input kept in a cache for an hour. Default: twice the price of input.',
  ),
};

const sizedPrice = {
  ...tokenPrice,
  tiers: option
    .list(
      option.object({
        above: option
          .number({ min: 0 })
          .required()
          .describe('Holds for requests with more input tokens than this.'),
        ...tokenPrice,
      }),
    )
    .describe('Prices of all tokens of long requests. Default: as others.'),
};

/** An option for the price of a model: a `Price`. */
export const priceOption = option.object({
  ...sizedPrice,
  serviceTiers: option
    .record(option.object(sizedPrice))
    .describe("Prices by the provider's service tier, such as flex or priority. Default: as others."),
});

const aliasOption = option.object({
  as: option.text('the id of a model', /./).required().describe('The model whose price it has.'),
});

/** An option for prices: a `PriceSource`, for `loadPrices`. */
export const pricesOption = option.either(
  option.oneOf('genai-prices'),
  option.record(option.either(option.oneOf('genai-prices'), aliasOption, priceOption)),
);
