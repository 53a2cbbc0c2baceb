import { remembering } from './remembering.ts';
import { otherError } from './semconv.ts';

/** Providers whose names in the conventions differ from the first part of our model ids. */
const providers: Readonly<Record<string, string>> = {
  'amazon-bedrock': 'aws.bedrock',
  azure: 'azure.ai.openai',
  bedrock: 'aws.bedrock',
  gemini: 'gcp.gemini',
  google: 'gcp.gemini',
  'google-vertex': 'gcp.vertex_ai',
  mistral: 'mistral_ai',
  moonshotai: 'moonshot_ai',
  vertex: 'gcp.vertex_ai',
  watsonx: 'ibm.watsonx.ai',
  xai: 'x_ai',
};

interface ModelDescription {
  readonly provider: string;
  readonly model: string;
}

/** Reads a model id: `openai/gpt-5` is the model `gpt-5` of `openai`. Called for each span of a model call. */
export const describeModel: (id: string) => ModelDescription = remembering((id) => {
  const slash = id.indexOf('/');
  if (slash <= 0) return { provider: otherError, model: id };
  const provider = id.slice(0, slash);
  const known = Object.hasOwn(providers, provider) ? providers[provider] : undefined;
  return { provider: known ?? provider, model: id.slice(slash + 1) };
});
