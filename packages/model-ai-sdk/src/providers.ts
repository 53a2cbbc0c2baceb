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
}

/** Servers that speak OpenAI's protocol: usage comes with a stream only when it is asked for. */
const compatible = {
  package: '@ai-sdk/openai-compatible',
  create: 'createOpenAICompatible',
  keys: [],
  keyIsOptional: true,
} as const;
const compatibleSettings = { includeUsage: true, supportsStructuredOutputs: true };

export const providers: Readonly<Record<string, Provider>> = Object.freeze({
  anthropic: { package: '@ai-sdk/anthropic', create: 'createAnthropic', keys: ['ANTHROPIC_API_KEY'] },
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
  },
  azure: {
    package: '@ai-sdk/azure',
    create: 'createAzure',
    keys: ['AZURE_API_KEY'],
    needs: { resourceName: 'AZURE_RESOURCE_NAME' },
  },
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
