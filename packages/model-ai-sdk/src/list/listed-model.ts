import type { JsonObject, JsonValue } from '@shallot/core';

import { contextTokensOf } from '../sdk/context-tokens.ts';
import { isJsonObject } from '../sdk/metadata.ts';

/** An ability of a model that its provider reports. */
export type Ability = 'tools' | 'images' | 'reasoning' | 'output';

/** A model as its provider, or a table, describes it. */
export interface ListedModel {
  /** The provider's name for it. */
  readonly model: string;
  readonly contextTokens?: number;
  readonly outputTokens?: number;
  /** US dollars per million tokens. */
  readonly price?: { readonly input: number; readonly output: number };
  /** The abilities that the provider names; absent if it names none. */
  readonly abilities?: readonly Ability[];
}

/** The longest name. Entries with longer ones are skipped. */
const longestName = 300;

/** Reads one entry of a provider's list; undefined if it names no model for conversations. */
export function readListedModel(entry: JsonValue): ListedModel | undefined {
  if (!isJsonObject(entry)) return undefined;
  const named = [entry['id'], entry['name'], entry['model']].find((each) => typeof each === 'string');
  if (typeof named !== 'string' || named === '' || named.length > longestName) return undefined;
  const model = named.replace(/^models\//, '');
  const methods = entry['supportedGenerationMethods'] ?? entry['endpoints'];
  if (Array.isArray(methods) && !methods.some((each) => each === 'generateContent' || each === 'chat'))
    return undefined;
  if (isOther(model, entry)) return undefined;
  const context = numberIn(entry, contextNames) ?? contextTokensOf(model.split('/').at(-1) ?? model);
  const output = numberIn(entry, outputNames);
  const price = priceIn(entry['pricing']);
  const abilities = abilitiesIn(entry);
  return {
    model,
    ...(context === undefined ? {} : { contextTokens: context }),
    ...(output === undefined ? {} : { outputTokens: output }),
    ...(price === undefined ? {} : { price }),
    ...(abilities.length === 0 ? {} : { abilities }),
  };
}

/** Returns true for models of another kind, judged by the type in the list, or by the name if there is none. */
function isOther(model: string, { type }: JsonObject): boolean {
  if (typeof type === 'string' && !/^(?:model|chat|language|code|HF_BASE_MODEL)/i.test(type)) return true;
  return !isForConversations(model);
}

/** Returns false for names of models that embed, transcribe, paint and the like. */
export function isForConversations(model: string): boolean {
  return !/(?:^|[/.-])(?:text-embedding|embed|embedding|whisper|tts|transcribe|realtime|dall-e|moderation|rerank|ocr|gpt-image|sora|imagen|veo)(?:[-/]|$)/i.test(
    model,
  );
}

/** Providers' names for the size of the context, and for the longest answer. */
const contextNames = [
  'context_window',
  'context_length',
  'max_context_length',
  'max_input_tokens',
  'inputTokenLimit',
  'max_model_len',
];
const outputNames = [
  'max_output_tokens',
  'max_completion_tokens',
  'outputTokenLimit',
  'max_output_length',
  'max_tokens',
];

function numberIn(entry: JsonObject, names: readonly string[]): number | undefined {
  const { top_provider: served, metadata } = entry;
  for (const place of [entry, served, metadata]) {
    if (!isJsonObject(place)) continue;
    const value = names.map((name) => place[name]).find((each) => typeof each === 'number' && each > 0);
    if (typeof value === 'number' && Number.isInteger(value)) return value;
  }
  return undefined;
}

/**
 * Returns the price in dollars per million tokens. Providers give it as strings for one token (OpenRouter, the gateway), or
 * as numbers for a million (Together). Undefined if one of the two is unknown.
 */
function priceIn(pricing: JsonValue | undefined): ListedModel['price'] {
  if (!isJsonObject(pricing)) return undefined;
  const input = perMillion(pricing['prompt'] ?? pricing['input']);
  const output = perMillion(pricing['completion'] ?? pricing['output']);
  return input === undefined || output === undefined ? undefined : { input, output };
}

function perMillion(value: JsonValue | undefined): number | undefined {
  const number = typeof value === 'string' ? Number(value.trim() || Number.NaN) * 1_000_000 : value;
  return typeof number === 'number' && Number.isFinite(number) && number >= 0
    ? Number(number.toPrecision(6))
    : undefined;
}

const words: readonly (readonly [Ability, RegExp])[] = [
  ['tools', /^(?:tools|tool[-_]use|function[-_]?calling|supports_tools|tool_choice)$/],
  ['images', /^(?:image|images|image_input|vision|supports_image_input)$/],
  ['reasoning', /^(?:reasoning|thinking|include_reasoning|supports_reasoning)$/],
  ['output', /^(?:structured[-_]outputs?|response_format|json[-_]schema|json_mode)$/],
];

/** Returns the abilities that an entry names, in a list of words or as members that are true. */
function abilitiesIn(entry: JsonObject): readonly Ability[] {
  const { architecture, capabilities, supported_parameters: parameters, features, tags } = entry;
  const modalities = isJsonObject(architecture) ? architecture['input_modalities'] : undefined;
  const named = [parameters, features, tags, modalities, capabilities].flatMap(wordsIn);
  const own = wordsIn(entry).filter((word) => word.startsWith('supports_'));
  return words.flatMap(([ability, word]) =>
    [...named, ...own].some((each) => word.test(each)) ? [ability] : [],
  );
}

function wordsIn(value: JsonValue | undefined): readonly string[] {
  if (Array.isArray(value)) return value.filter((each): each is string => typeof each === 'string');
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, has]) =>
    has === true || (isJsonObject(has) && has['supported'] === true) ? [name] : [],
  );
}
