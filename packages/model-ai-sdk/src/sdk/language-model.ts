import type {
  LanguageModelV3,
  LanguageModelV3Content,
  LanguageModelV3GenerateResult,
  LanguageModelV3Message,
  LanguageModelV3StreamPart,
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
  LanguageModelV4Message,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider';
import { ShallotError } from '@shallot/core';

import type { AiSdkLanguageModel } from './ai-sdk-language-model.ts';
import { packageOf } from './providers.ts';

// The two versions differ in few places; where they do, the code asks which one it has.
export type PromptMessage = LanguageModelV3Message | LanguageModelV4Message;
export type CallOptions = Omit<LanguageModelV4CallOptions, 'prompt'> & { prompt: PromptMessage[] };
export type GeneratedContent = LanguageModelV3Content | LanguageModelV4Content;
export type GenerateResult = LanguageModelV3GenerateResult | LanguageModelV4GenerateResult;
export type StreamPart = LanguageModelV3StreamPart | LanguageModelV4StreamPart;

/** The parts of a prompt's messages of a role. */
export type PartOf<Role> = Extract<PromptMessage, { readonly role: Role }>['content'] extends infer C
  ? C extends readonly (infer P)[]
    ? P
    : never
  : never;

/** A model of either version, called with what fits both. */
export interface LanguageModel extends Omit<AiSdkLanguageModel, 'doGenerate' | 'doStream'> {
  doGenerate(options: CallOptions): PromiseLike<GenerateResult>;
  doStream(options: CallOptions): PromiseLike<{ readonly stream: ReadableStream<StreamPart> }>;
}

const supported = ['v3', 'v4'] as const satisfies readonly (
  | LanguageModelV3
  | LanguageModelV4
)['specificationVersion'][];

/** @throws `OPTION_INVALID` for anything that is not a model of a version that is supported */
export function checkLanguageModel(model: AiSdkLanguageModel): LanguageModel {
  const given: Partial<AiSdkLanguageModel> = typeof model === 'object' && model !== null ? model : {};
  const { specificationVersion, provider, modelId, doGenerate, doStream } = given;
  if (typeof specificationVersion !== 'string' || typeof provider !== 'string') {
    throw invalid(
      `aiSdkModel takes a language model of an AI SDK provider, but got ${describe(model)}. Write, for example, aiSdkModel(anthropic('claude-sonnet-5')).`,
    );
  }
  if (!supported.includes(specificationVersion)) throw unsupported(specificationVersion, provider, modelId);
  if (typeof doGenerate !== 'function' || typeof doStream !== 'function' || typeof modelId !== 'string') {
    throw invalid(
      `The model of ${provider} is not a language model: it has no doGenerate and doStream. Use the provider's languageModel.`,
    );
  }
  // The version that was just checked says what the two methods take and give.
  return model as unknown as LanguageModel;
}

function unsupported(version: string, provider: string, modelId: unknown): ShallotError {
  const name = packageOf(provider);
  const isNewer = Number(/^v(\d+)$/.exec(version)?.[1] ?? 0) > 4;
  const advice = isNewer
    ? 'It is newer than this package. Install a newer one: @shallot/model-ai-sdk@latest.'
    : `Install a newer package of the provider${name === undefined ? ` ${provider}` : `: ${name}@latest`}.`;
  return invalid(
    `The model ${provider}/${String(modelId)} has version ${version} of the AI SDK's interface; ${supported.join(' and ')} are supported. ${advice}`,
  );
}

function invalid(message: string): ShallotError {
  return new ShallotError('OPTION_INVALID', { message });
}

function describe(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value === 'function') return 'a provider, or another function; call it with the name of a model';
  return typeof value === 'object' ? 'another object' : `a ${typeof value}`;
}
