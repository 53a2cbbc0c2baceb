/**
 * What the providers need that `@shallot/model-ai-sdk` knows by name: the package, and the environment variable of the
 * key. Used only while that package is not installed, to say all at once; a test of the package compares.
 */
export const providerNeeds: Readonly<Record<string, { readonly package: string; readonly key?: string }>> = {
  anthropic: { package: '@ai-sdk/anthropic', key: 'ANTHROPIC_API_KEY' },
  openai: { package: '@ai-sdk/openai', key: 'OPENAI_API_KEY' },
  google: { package: '@ai-sdk/google', key: 'GOOGLE_GENERATIVE_AI_API_KEY' },
  mistral: { package: '@ai-sdk/mistral', key: 'MISTRAL_API_KEY' },
  xai: { package: '@ai-sdk/xai', key: 'XAI_API_KEY' },
  'amazon-bedrock': { package: '@ai-sdk/amazon-bedrock', key: 'AWS_BEARER_TOKEN_BEDROCK' },
  azure: { package: '@ai-sdk/azure', key: 'AZURE_API_KEY' },
  ollama: { package: '@ai-sdk/openai-compatible' },
  'openai-compatible': { package: '@ai-sdk/openai-compatible' },
};
