/**
 * What a provider package of the AI SDK makes: `anthropic('claude-…')`. Told by its shape, so that it may come from any
 * copy of `@ai-sdk/provider`, in any version that has the interface; whoever has none needs none for these types.
 */
export interface AiSdkLanguageModel {
  readonly specificationVersion: 'v3' | 'v4';
  /** `anthropic.messages`, for instance. */
  readonly provider: string;
  readonly modelId: string;
  doGenerate(options: never): PromiseLike<unknown>;
  doStream(options: never): PromiseLike<unknown>;
}
