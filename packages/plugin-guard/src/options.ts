import type { ChatModel, ModelName } from '@shallot/core/model';
import { option, optionsSchema, type ShapeOutput, type StandardSchemaWithJson } from '@shallot/core/plugin';

import type { Verdict } from './verdict.ts';

/** The texts that a check is about. */
export type Subject = 'input' | 'results' | 'answers';

/** The consequence of a flagged text. */
export type Action = 'block' | 'warn' | 'ask';

/** A piece of text for a classifier. */
export interface TextToCheck {
  readonly on: Subject;
  readonly text: string;
  /** The tool of a result. */
  readonly tool?: string;
}

/** A classifier in code. */
export type Check = (text: TextToCheck, signal: AbortSignal) => Verdict | Promise<Verdict>;

/** A check: exactly one of `url`, `prompt` and `check` classifies the texts. */
export interface CheckOptions {
  /** The texts to check. Default: all three. */
  readonly on?: readonly Subject[];
  /** The URL of a classifier, which gets `{ on, text, tool }` by POST and answers `{ flagged, reason }`. */
  readonly url?: string;
  /** Headers of the request. Default: none. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Instructions that tell a model what to flag. */
  readonly prompt?: string;
  /** The model for `prompt`. Default: the agent's. */
  readonly model?: ModelName;
  /** A classifier in code. */
  readonly check?: Check;
  /** The consequence of a flagged text. Default: `block`. */
  readonly action?: Action;
  /** Patterns of tools whose results are checked. Default: all. */
  readonly tools?: readonly string[];
  /** The time limit for the classifier, in milliseconds. Default: 20,000. */
  readonly timeoutMs?: number;
}

/** Options of the plugin. */
export interface GuardOptions {
  readonly checks?: readonly CheckOptions[];
}

const subjects = ['input', 'results', 'answers'] as const;

const check = option
  .object({
    on: option
      .list(option.oneOf<Subject>(...subjects), { min: 1 })
      .default(subjects)
      .describe('The texts to check.'),
    url: option
      .text('a URL that begins with https:// or http://', /^https?:\/\//)
      .describe('A classifier by HTTP.'),
    headers: option.headers().default({}).describe('Headers of the request.'),
    prompt: option.text('a prompt', /\S/).describe('What a model flags.'),
    model: option.model().describe("The model for the prompt, if it is not the agent's."),
    check: option.callback<Check>(),
    action: option
      .oneOf<Action>('block', 'warn', 'ask')
      .default('block')
      .describe('What a flagged text leads to.'),
    tools: option.list(option.text()).default(['*']).describe('Patterns of tools whose results are checked.'),
    timeoutMs: option
      .integer({ min: 1, max: 600_000 })
      .default(20_000)
      .describe('Time limit in milliseconds.'),
  })
  .map((given, report) => {
    const { url, prompt, check: inCode } = given;
    if ([url, prompt, inCode].filter((each) => each !== undefined).length !== 1)
      report('it has none or several of url, prompt and check; write one of them');
    return given;
  });

const shape = { checks: option.list(check).default([]).describe('The checks, in their order.') };

/** The options with defaults. */
export type Settings = ShapeOutput<typeof shape>;

/** A check with its defaults. */
export type CheckSettings = Settings['checks'][number];

/** A check with its label, and its model if it has one. */
export interface ReadyCheck {
  readonly settings: CheckSettings;
  readonly label: string;
  readonly model: ChatModel | undefined;
}

/** The schema of the options, which is also available as JSON Schema for config files. */
export const guardOptions: StandardSchemaWithJson<GuardOptions, Settings> = optionsSchema(shape);
