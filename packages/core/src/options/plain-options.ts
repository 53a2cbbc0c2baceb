import { defaultCloseTimeoutMs, defaultStartTimeoutMs, maxTimerMs } from '../base/in-time.ts';
import type { PlainAgentOptions, SessionNotes } from '../contract/agent-options.ts';
import type { RunSettings } from '../contract/model.ts';
import { logLevels } from '../log/logger.ts';
import { guardedOption, type AnyOption, type Option } from './option.ts';
import { option } from './options-schema.ts';
import { permissionsOption } from './permissions-option.ts';
import { pricesOption } from './prices-option.ts';

const count = (): Option<number> => option.integer({ min: 1 });

const milliseconds = (): Option<number> =>
  guardedOption((value): value is number => typeof value === 'number' && value > 0, {
    what: 'a positive number of milliseconds, or Infinity',
    json: { type: 'number', exclusiveMinimum: 0 },
  });

const tokens = (): Option<number> =>
  guardedOption((value): value is number => typeof value === 'number' && value > 0, {
    what: 'a positive number of tokens, or Infinity',
    json: { type: 'number', exclusiveMinimum: 0 },
  });

export const toolChoice = option.either(
  option.oneOf('auto', 'none', 'required'),
  option.object({
    tool: option.text('the name of a tool', /./).required().describe('The tool that the model must call.'),
  }),
);

/** The settings of a model call. */
export const modelSettings = option.object({
  temperature: option.number().describe('How much chance there is in the choice of words; 0: none.'),
  topP: option.number().describe('Only the likeliest words with this sum of probabilities are chosen from.'),
  topK: option.number().describe('Only so many of the likeliest words are chosen from.'),
  maxOutputTokens: count().describe('The most tokens of an answer.'),
  stopSequences: option
    .list(option.text('a non-empty string', /[^]/))
    .describe('Texts at which an answer ends.'),
  presencePenalty: option.number().describe('Makes words less likely that were used before.'),
  frequencyPenalty: option.number().describe('Makes words less likely that were used often.'),
  seed: option.integer().describe('The seed of the choice of words, for equal answers.'),
  headers: option.record(option.text().secret()).describe('HTTP headers of the requests.'),
  provider: option.record(option.jsonObject()).describe('Provider-specific settings, by provider.'),
  toolChoice: toolChoice.describe(
    'Which tools the model may call; a call that is forced is forced until a tool was called.',
  ),
} satisfies Record<keyof RunSettings, AnyOption>);

const providerToolId = option.text('an id such as openai.web_search', /^[a-z0-9-]+\.[a-z][a-z0-9_]*$/);

const providerTool = option.either(
  providerToolId,
  option.object({ id: providerToolId.required(), args: option.record(option.anything()) }),
);

/** Short, and without control characters, because listings contain it. */
const shortText = /^[^\p{Cc}\p{Cs}]{1,100}$/u;

export const byOption = option.text('1 to 100 characters, none of them a control character', shortText);
export const titleOption = option.text('1 to 100 characters, none of them a control character', shortText);

const placeOption = option.text(
  '1 to 200 characters, none of them a control character',
  /^[^\p{Cc}\p{Cs}]{1,200}$/u,
);

const directoryOption = option.text(
  '1 to 500 characters, none of them a control character',
  /^[^\p{Cc}\p{Cs}]{1,500}$/u,
);

/** The notes of a session. */
export const notesOptions = {
  owner: option.text('1 to 100 characters, none of them a control character', shortText),
  title: titleOption,
  cwd: directoryOption,
  modelName: placeOption,
  parent: placeOption,
} satisfies Record<keyof SessionNotes, AnyOption>;

export const logLevel = option.oneOf(...logLevels);

/** The options that `createAgent` and a config share, with the same names and values. */
export const plainOptions = {
  name: option.text('a name', /\S/).default('agent').describe("The agent's name."),
  id: option.text('an id', /\S/).describe('An id that stays the same when the name changes.'),
  version: option.text('a version', /\S/).describe("The agent's version."),
  description: option.text().describe('What the agent is for. The model does not see it.'),
  maxSteps: count()
    .default(50)
    .describe(
      'The maximum number of steps in one run: a model call, repeated or not, and the calls of tools that it asks for.',
    ),
  maxStepsAnswer: option
    .boolean()
    .default(false)
    .describe('When `maxSteps` is reached, asks the model for an answer without tools.'),
  toolConcurrency: count().default(8).describe('The maximum number of parallel tool calls in one step.'),
  maxResultTokens: tokens().describe(
    "The tokens of a tool's result that the model gets whole; a larger one becomes a file of the session.",
  ),
  toolErrors: option
    .oneOf('report', 'throw')
    .default('report')
    .describe('Reports a failing tool to the model, or ends the run.'),
  prices: pricesOption.describe(
    'US dollars per million tokens by model, or those of `@pydantic/genai-prices`.',
  ),
  settings: modelSettings.describe('Settings of every model call.'),
  permissions: permissionsOption.describe(
    'The calls that are executed, asked about and refused: rules such as `edit(src/**)`.',
  ),
  providerTools: option
    .list(providerTool)
    .default([])
    .describe("Tools that the provider executes, such as `openai.web_search`, with the provider's settings."),
  hookTimeoutMs: milliseconds().default(30_000).describe('The time limit of a before or after hook.'),
  startTimeoutMs: milliseconds()
    .default(defaultStartTimeoutMs)
    .describe('The time limit of each import, setup and start of a plugin.'),
  closeTimeoutMs: milliseconds()
    .default(defaultCloseTimeoutMs)
    .describe('The time limit for closing the agent.'),
  modelIdleMs: milliseconds()
    .default(120_000)
    .describe('How long a streaming answer may be silent: no chunk, and no sign of life.'),
  modelTimeoutMs: milliseconds()
    .default(600_000)
    .describe('How long an answer in a single piece may take, and a stream that shows only signs of life.'),
  claimMs: option
    .number({ above: 0, max: maxTimerMs })
    .default(60_000)
    .describe('The time until a claim on a session expires if it is not renewed.'),
  sessionCacheBytes: option
    .integer({ min: 0 })
    .describe("The size of a cache of the agent's own for sessions between their runs. 0: no cache."),
} satisfies Record<keyof PlainAgentOptions, AnyOption>;
