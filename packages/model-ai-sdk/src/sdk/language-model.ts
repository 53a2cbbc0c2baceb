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

import type { AiSdkLanguageModel } from './ai-sdk-language-model.ts';

// Unions of the two versions. Where they differ, the code checks which one it has.
export type PromptMessage = LanguageModelV3Message | LanguageModelV4Message;
export type CallOptions = Omit<LanguageModelV4CallOptions, 'prompt'> & { prompt: PromptMessage[] };
export type GeneratedContent = LanguageModelV3Content | LanguageModelV4Content;
export type GenerateResult = LanguageModelV3GenerateResult | LanguageModelV4GenerateResult;
export type StreamPart = LanguageModelV3StreamPart | LanguageModelV4StreamPart;

/** The parts of prompt messages with a role. */
export type PartOf<Role> = Extract<PromptMessage, { readonly role: Role }>['content'] extends infer C
  ? C extends readonly (infer P)[]
    ? P
    : never
  : never;

/** A model of version 3 or 4, called with arguments that fit both. */
export interface LanguageModel extends Omit<
  AiSdkLanguageModel,
  'specificationVersion' | 'doGenerate' | 'doStream'
> {
  readonly specificationVersion: (LanguageModelV3 | LanguageModelV4)['specificationVersion'];
  doGenerate(options: CallOptions): PromiseLike<GenerateResult>;
  doStream(options: CallOptions): PromiseLike<{
    readonly stream: ReadableStream<StreamPart>;
    readonly response?: { readonly headers?: Readonly<Record<string, string>> | undefined } | undefined;
  }>;
}
