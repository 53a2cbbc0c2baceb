import { providerName } from './metadata.ts';

/** The way to create models of a provider. */
export interface Provider {
  /** The package, which the user must install. */
  readonly package: string;
  /** The function of the package that creates the provider. */
  readonly create: string;
  /** The environment variables of the key: any one entry is enough; an entry with `+` needs all its variables. */
  readonly keys: readonly string[];
  /** Further required settings: option names, with the variables that can replace them. */
  readonly needs?: Readonly<Record<string, string>>;
  /** True if the provider has no address of its own, so that the user must name one. */
  readonly needsURL?: boolean;
  /** The end of the address, for a package that takes the whole of it as `url`. */
  readonly path?: string;
  /** Settings for the function beside the user's. */
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly keyIsOptional?: boolean;
  /** True if `needs` applies only without a key. */
  readonly keyReplacesNeeds?: boolean;
  /** Options that each replace the key: tokens, credentials, and functions that return them. */
  readonly credentials?: readonly string[];
}

/** OpenAI-compatible servers: streams contain usage only on request. */
const compatible = {
  package: '@ai-sdk/openai-compatible',
  create: 'createOpenAICompatible',
  keys: [],
  keyIsOptional: true,
} as const;
const compatibleSettings = { includeUsage: true, supportsStructuredOutputs: true };

const vertex: Provider = {
  package: '@ai-sdk/google-vertex',
  create: 'createVertex',
  keys: ['GOOGLE_VERTEX_API_KEY'],
  keyIsOptional: true,
  keyReplacesNeeds: true,
  needs: { project: 'GOOGLE_VERTEX_PROJECT', location: 'GOOGLE_VERTEX_LOCATION' },
  credentials: ['googleAuthOptions'],
};

export const providers: Readonly<Record<string, Provider>> = Object.freeze({
  anthropic: {
    package: '@ai-sdk/anthropic',
    create: 'createAnthropic',
    keys: ['ANTHROPIC_API_KEY'],
    credentials: ['authToken'],
  },
  openai: { package: '@ai-sdk/openai', create: 'createOpenAI', keys: ['OPENAI_API_KEY'] },
  google: {
    package: '@ai-sdk/google',
    create: 'createGoogleGenerativeAI',
    keys: ['GOOGLE_GENERATIVE_AI_API_KEY'],
  },
  mistral: { package: '@ai-sdk/mistral', create: 'createMistral', keys: ['MISTRAL_API_KEY'] },
  xai: { package: '@ai-sdk/xai', create: 'createXai', keys: ['XAI_API_KEY'] },
  'amazon-bedrock': {
    package: '@ai-sdk/amazon-bedrock',
    create: 'createAmazonBedrock',
    keys: ['AWS_BEARER_TOKEN_BEDROCK', 'AWS_ACCESS_KEY_ID+AWS_SECRET_ACCESS_KEY'],
    needs: { region: 'AWS_REGION' },
    credentials: ['credentialProvider', 'accessKeyId'],
  },
  azure: {
    package: '@ai-sdk/azure',
    create: 'createAzure',
    keys: ['AZURE_API_KEY'],
    needs: { resourceName: 'AZURE_RESOURCE_NAME' },
    credentials: ['tokenProvider'],
  },
  // Without a key, the package uses the credentials of the machine.
  vertex,
  gateway: {
    package: '@ai-sdk/gateway',
    create: 'createGateway',
    keys: ['AI_GATEWAY_API_KEY'],
    // On Vercel, the package authenticates by itself.
    keyIsOptional: true,
  },
  openrouter: {
    package: '@openrouter/ai-sdk-provider',
    create: 'createOpenRouter',
    keys: ['OPENROUTER_API_KEY'],
  },
  groq: { package: '@ai-sdk/groq', create: 'createGroq', keys: ['GROQ_API_KEY'] },
  cohere: { package: '@ai-sdk/cohere', create: 'createCohere', keys: ['COHERE_API_KEY'] },
  deepseek: { package: '@ai-sdk/deepseek', create: 'createDeepSeek', keys: ['DEEPSEEK_API_KEY'] },
  togetherai: {
    package: '@ai-sdk/togetherai',
    create: 'createTogetherAI',
    keys: ['TOGETHER_API_KEY', 'TOGETHER_AI_API_KEY'],
  },
  fireworks: { package: '@ai-sdk/fireworks', create: 'createFireworks', keys: ['FIREWORKS_API_KEY'] },
  cerebras: { package: '@ai-sdk/cerebras', create: 'createCerebras', keys: ['CEREBRAS_API_KEY'] },
  perplexity: { package: '@ai-sdk/perplexity', create: 'createPerplexity', keys: ['PERPLEXITY_API_KEY'] },
  deepinfra: { package: '@ai-sdk/deepinfra', create: 'createDeepInfra', keys: ['DEEPINFRA_API_KEY'] },
  moonshotai: { package: '@ai-sdk/moonshotai', create: 'createMoonshotAI', keys: ['MOONSHOT_API_KEY'] },
  huggingface: { package: '@ai-sdk/huggingface', create: 'createHuggingFace', keys: ['HUGGINGFACE_API_KEY'] },
  vercel: { package: '@ai-sdk/vercel', create: 'createVercel', keys: ['VERCEL_API_KEY'] },
  // Uses Ollama's OpenAI-compatible endpoint, because packages for its native API depend on the whole AI SDK.
  ollama: {
    ...compatible,
    settings: { ...compatibleSettings, name: 'ollama', baseURL: 'http://127.0.0.1:11434/v1' },
  },
  'openai-compatible': {
    ...compatible,
    needsURL: true,
    settings: { ...compatibleSettings, name: 'openai-compatible' },
  },
  'open-responses': {
    package: '@ai-sdk/open-responses',
    create: 'createOpenResponses',
    keys: [],
    keyIsOptional: true,
    needsURL: true,
    path: '/responses',
    settings: { name: 'open-responses' },
  },
});

/** Returns the package of a provider such as `anthropic.messages`; undefined if unknown. */
export function packageOf(provider: string): string | undefined {
  const name = providerName(provider);
  return Object.hasOwn(providers, name) ? providers[name]?.package : undefined;
}
