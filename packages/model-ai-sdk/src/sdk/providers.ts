import { providerName } from './metadata.ts';

/** How the models of one provider are made. */
export interface Provider {
  /** The package, which is the user's own dependency. */
  readonly package: string;
  /** The function of the package that makes a provider. */
  readonly create: string;
  /** The environment variable that holds the key; several where one of them is enough, all that go with one `+`. */
  readonly keys: readonly string[];
  /** Other settings that it needs: each the option, and the variable that may hold it instead. */
  readonly needs?: Readonly<Record<string, string>>;
  /** What the function is given beside what the user says. */
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly keyIsOptional?: boolean;
  /** Whether the other settings are needed only where no key is given. */
  readonly keyReplacesNeeds?: boolean;
  /** Options that sign in without a key, each of them alone: tokens, credentials, and functions that give them. */
  readonly credentials?: readonly string[];
}

/** Servers that speak OpenAI's protocol: usage comes with a stream only when it is asked for. */
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
  // Without a key, the package signs in with the credentials of the machine.
  vertex,
  gateway: {
    package: '@ai-sdk/gateway',
    create: 'createGateway',
    keys: ['AI_GATEWAY_API_KEY'],
    // On Vercel, the package signs in by itself.
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
  // Ollama's own OpenAI endpoint: the packages for its native one bring the whole AI SDK with them.
  ollama: {
    ...compatible,
    settings: { ...compatibleSettings, name: 'ollama', baseURL: 'http://127.0.0.1:11434/v1' },
  },
  'openai-compatible': { ...compatible, settings: { ...compatibleSettings, name: 'openai-compatible' } },
});

/** The package that a model of `anthropic.messages` came from, where that is known. */
export function packageOf(provider: string): string | undefined {
  const name = providerName(provider);
  return Object.hasOwn(providers, name) ? providers[name]?.package : undefined;
}
