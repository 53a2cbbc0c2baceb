import {
  option,
  optionsSchema,
  priceOption,
  pricesOption,
  type Price,
  type PriceSource,
  type Report,
  type ShapeOutput,
  type StandardSchemaWithJson,
} from '@shallot/core/plugin';

/**
 * Action at a limit: `end` ends the run with the stop reason `limit`, `throw` fails it with `LIMIT_REACHED`, `ask`
 * asks a person for more.
 */
export type OnLimit = 'end' | 'throw' | 'ask';

/** A limit per run, per session, or both. */
export interface Limit<On = OnLimit> {
  readonly run?: number;
  readonly session?: number;
  /** The action at the limit. Default: `end`; for tool calls, `result`. */
  readonly onLimit?: On;
}

/**
 * A limit on tool calls. Its additional action `result` returns an error result for the call, and the model continues.
 */
export type ToolLimit = Limit<OnLimit | 'result'>;

/** Options of the plugin: the limits, the prices, and when to warn. */
export interface LimitsOptions {
  /** Model calls sent, including those of retries, fallbacks and plugins. Default: unlimited. */
  readonly modelCalls?: Limit;
  /** Tool calls in total; `tools` limits them by name or pattern (`*` matches any characters). Default: unlimited. */
  readonly toolCalls?: ToolLimit & { readonly tools?: Readonly<Record<string, ToolLimit>> };
  /** Input and output tokens of all model calls. Default: unlimited. */
  readonly tokens?: Limit;
  /** US dollars for all model calls; requires `prices`, or a price in `unpriced`. Default: unlimited. */
  readonly cost?: Limit;
  /** Milliseconds, not counting the time that the run waits for an answer. Default: unlimited. */
  readonly timeMs?: Limit;
  /** US dollars per million tokens, by model id, or the prices of `@pydantic/genai-prices`. Default: none. */
  readonly prices?: PriceSource;
  /**
   * The price of models that `prices` does not list, in US dollars per million tokens; or `refuse`: with a limit of `cost`, an agent
   * with such a model does not start, and a call to one fails. Default: `refuse`.
   */
  readonly unpriced?: 'refuse' | Price;
  /** Share of a limit, between 0 and 1, at which the run reports a warning; `false` for no warning. Default: 0.8. */
  readonly warnAt?: number | false;
}

const count = option.integer({ min: 0 });
const amount = option.number({ min: 0 });
const onLimit = option.oneOf('end', 'throw', 'ask').default('end').describe('Action at the limit.');
const onToolLimit = option
  .oneOf('result', 'end', 'throw', 'ask')
  .default('result')
  .describe('Action at the limit; result returns an error result for the call, and the model continues.');
const perRun = 'The limit of each run.';
const perSession = 'The limit of all runs of a session together.';
const scopes = { run: count.describe(perRun), session: count.describe(perSession) };
const counted = option.object({ ...scopes, onLimit }).map(consistent);
const measured = option
  .object({
    run: amount.describe(perRun),
    session: amount.describe(perSession),
    onLimit,
  })
  .map(consistent);
const toolLimit = { ...scopes, onLimit: onToolLimit };

const shape = {
  modelCalls: counted.describe(
    'Model calls that are sent, those of retries, fallbacks and plugins included.',
  ),
  toolCalls: option
    .object({
      ...toolLimit,
      tools: option
        .record(option.object(toolLimit).map(consistent))
        .default({})
        .describe('Limits of single tools, by name or pattern.'),
    })
    .map((limit, report) =>
      Object.keys(limit.tools).length > 0 && isEmpty(limit) ? limit : consistent(limit, report),
    )
    .describe('Tool calls in total, and by the name of a tool or a pattern with *.'),
  tokens: counted.describe('Tokens of all model calls, input and output.'),
  cost: measured.describe('US dollars of all model calls; needs prices, or a price in unpriced.'),
  timeMs: measured.describe('Milliseconds, without the time in which the run waits for an answer.'),
  prices: pricesOption.describe(
    'US dollars per million tokens by model, or those of @pydantic/genai-prices.',
  ),
  unpriced: option
    .either(option.oneOf('refuse'), priceOption)
    .default('refuse')
    .describe('The price of models that prices do not have; refuse: the agent does not start.'),
  warnAt: option
    .either(option.oneOf(false), option.number({ above: 0, below: 1 }))
    .default(0.8)
    .describe('The share of a limit at which a warning is given.'),
};

type Numbers = Pick<Limit, 'run' | 'session'>;

/** Reports a limit without numbers, or with contradictory ones. */
function consistent<L extends Numbers>(limit: L, report: Report): L {
  const { run, session } = limit;
  if (isEmpty(limit)) report('it says neither run nor session; give the number of one of them');
  if (run !== undefined && session !== undefined && run > session)
    report(`it is ${run}, which is more than its session's ${session}; lower it or leave it out`, 'run');
  return limit;
}

function isEmpty({ run, session }: Numbers): boolean {
  return run === undefined && session === undefined;
}

/** The options with defaults. */
export type Settings = ShapeOutput<typeof shape>;

/** The schema of the options; also available as JSON Schema, for editors of config files. */
export const limitsOptions: StandardSchemaWithJson<LimitsOptions, Settings> = optionsSchema(shape);
