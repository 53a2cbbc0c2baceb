/**
 * A model made by a provider package of the AI SDK, such as `anthropic('claude-…')`. Matched by shape, not by class:
 * any copy and version of `@ai-sdk/provider` with this interface is accepted, and these types do not require that
 * package.
 */
export interface AiSdkLanguageModel {
  readonly specificationVersion: 'v2' | 'v3' | 'v4';
  /** The provider and its API, such as `anthropic.messages`. */
  readonly provider: string;
  readonly modelId: string;
  doGenerate(options: never): PromiseLike<unknown>;
  doStream(options: never): PromiseLike<unknown>;
}
