/** The things that a provider's models need before they can be called. */
export interface ProviderNeeds {
  readonly package: string;
  /** The environment variable of the key. */
  readonly key?: string;
  /** True if there is another way to sign in, so that a missing key is no fault. */
  readonly keyIsOptional?: boolean;
  /** Further variables that have to be set. */
  readonly variables?: readonly string[];
  /** True if the provider has no address of its own: a config has to give it as `baseURL`. */
  readonly needsURL?: boolean;
}

/**
 * The needs of each provider built into `@shallot/model-ai-sdk`, for messages before that package is installed. A test
 * of that package compares both.
 */
export const providerNeeds: Readonly<Record<string, ProviderNeeds>> = {
  anthropic: { package: '@ai-sdk/anthropic', key: 'ANTHROPIC_API_KEY' },
  openai: { package: '@ai-sdk/openai', key: 'OPENAI_API_KEY' },
  google: { package: '@ai-sdk/google', key: 'GOOGLE_GENERATIVE_AI_API_KEY' },
  mistral: { package: '@ai-sdk/mistral', key: 'MISTRAL_API_KEY' },
  xai: { package: '@ai-sdk/xai', key: 'XAI_API_KEY' },
  'amazon-bedrock': {
    package: '@ai-sdk/amazon-bedrock',
    key: 'AWS_BEARER_TOKEN_BEDROCK',
    variables: ['AWS_REGION'],
  },
  azure: { package: '@ai-sdk/azure', key: 'AZURE_API_KEY', variables: ['AZURE_RESOURCE_NAME'] },
  // Signs in with the credentials of the machine.
  vertex: {
    package: '@ai-sdk/google-vertex',
    variables: ['GOOGLE_VERTEX_PROJECT', 'GOOGLE_VERTEX_LOCATION'],
  },
  // Signs in by itself on Vercel.
  gateway: { package: '@ai-sdk/gateway', key: 'AI_GATEWAY_API_KEY', keyIsOptional: true },
  openrouter: { package: '@openrouter/ai-sdk-provider', key: 'OPENROUTER_API_KEY' },
  groq: { package: '@ai-sdk/groq', key: 'GROQ_API_KEY' },
  cohere: { package: '@ai-sdk/cohere', key: 'COHERE_API_KEY' },
  deepseek: { package: '@ai-sdk/deepseek', key: 'DEEPSEEK_API_KEY' },
  togetherai: { package: '@ai-sdk/togetherai', key: 'TOGETHER_API_KEY' },
  fireworks: { package: '@ai-sdk/fireworks', key: 'FIREWORKS_API_KEY' },
  cerebras: { package: '@ai-sdk/cerebras', key: 'CEREBRAS_API_KEY' },
  perplexity: { package: '@ai-sdk/perplexity', key: 'PERPLEXITY_API_KEY' },
  deepinfra: { package: '@ai-sdk/deepinfra', key: 'DEEPINFRA_API_KEY' },
  moonshotai: { package: '@ai-sdk/moonshotai', key: 'MOONSHOT_API_KEY' },
  huggingface: { package: '@ai-sdk/huggingface', key: 'HUGGINGFACE_API_KEY' },
  vercel: { package: '@ai-sdk/vercel', key: 'VERCEL_API_KEY' },
  ollama: { package: '@ai-sdk/openai-compatible' },
  'openai-compatible': { package: '@ai-sdk/openai-compatible', needsURL: true },
  'open-responses': { package: '@ai-sdk/open-responses', needsURL: true },
};
