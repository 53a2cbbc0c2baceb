import { remembering } from './remembering.ts';

/**
 * The names and numbers of the OpenTelemetry conventions for generative AI, written by hand from the specification: the
 * constants on npm are deprecated, and libraries are asked not to import the incubating ones. There are two editions,
 * because backends lag behind: 1.41, and what is newest of https://github.com/open-telemetry/semantic-conventions-genai.
 */
export type Edition = '1.41' | 'latest';

/** The variables of the environment that the conventions speak of. */
export const editionVariable = 'OTEL_SEMCONV_STABILITY_OPT_IN';
export const captureVariable = 'OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT';

/** The edition that `OTEL_SEMCONV_STABILITY_OPT_IN` asks for, a list separated by commas. */
export function editionOf(optIn: string | undefined): Edition {
  const wanted = (optIn ?? '').split(',').map((value) => value.trim());
  return wanted.includes('gen_ai_latest_experimental') ? 'latest' : '1.41';
}

/** Whether `OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT` asks for content on spans. */
export function capturesContent(setting: string | undefined): boolean {
  return ['true', '1', 'span_only', 'span_and_event'].includes((setting ?? '').trim().toLowerCase());
}

/** Attributes of spans and metrics. */
export const attribute = Object.freeze({
  agentName: 'gen_ai.agent.name',
  conversationCompacted: 'gen_ai.conversation.compacted',
  conversationId: 'gen_ai.conversation.id',
  errorType: 'error.type',
  frequencyPenalty: 'gen_ai.request.frequency_penalty',
  inputMessages: 'gen_ai.input.messages',
  inputTokens: 'gen_ai.usage.input_tokens',
  cacheReadTokens: 'gen_ai.usage.cache_read.input_tokens',
  maxTokens: 'gen_ai.request.max_tokens',
  operation: 'gen_ai.operation.name',
  outputMessages: 'gen_ai.output.messages',
  outputTokens: 'gen_ai.usage.output_tokens',
  reasoningTokens: 'gen_ai.usage.reasoning.output_tokens',
  outputType: 'gen_ai.output.type',
  presencePenalty: 'gen_ai.request.presence_penalty',
  provider: 'gen_ai.provider.name',
  requestModel: 'gen_ai.request.model',
  responseId: 'gen_ai.response.id',
  responseModel: 'gen_ai.response.model',
  finishReasons: 'gen_ai.response.finish_reasons',
  seed: 'gen_ai.request.seed',
  skillName: 'gen_ai.skill.name',
  stopSequences: 'gen_ai.request.stop_sequences',
  stream: 'gen_ai.request.stream',
  systemInstructions: 'gen_ai.system_instructions',
  temperature: 'gen_ai.request.temperature',
  timeToFirstChunk: 'gen_ai.response.time_to_first_chunk',
  tokenModality: 'gen_ai.token.modality',
  tokenType: 'gen_ai.token.type',
  toolArguments: 'gen_ai.tool.call.arguments',
  toolCallId: 'gen_ai.tool.call.id',
  toolDefinitions: 'gen_ai.tool.definitions',
  toolDescription: 'gen_ai.tool.description',
  toolName: 'gen_ai.tool.name',
  toolResult: 'gen_ai.tool.call.result',
  toolType: 'gen_ai.tool.type',
  topK: 'gen_ai.request.top_k',
  topP: 'gen_ai.request.top_p',
});

/** Attributes of our own, for what the conventions have no name for. */
export const ownAttribute = Object.freeze({
  attempt: 'shallot.model.attempt',
  calls: 'shallot.layer.calls',
  changes: 'shallot.layer.changes',
  deniedBy: 'shallot.tool.denied_by',
  hook: 'shallot.layer.hook',
  interruptId: 'shallot.interrupt.id',
  interruptKind: 'shallot.interrupt.kind',
  interrupted: 'shallot.tool.interrupted',
  outcome: 'shallot.run.outcome',
  ownDuration: 'shallot.layer.own_duration',
  plugin: 'shallot.plugin',
  purpose: 'shallot.purpose',
  resumed: 'shallot.run.resumed',
  runId: 'shallot.run.id',
  step: 'shallot.step',
  stopReason: 'shallot.run.stop_reason',
  tap: 'shallot.layer.tap',
});

/** The name of the span event for a question that a run ends with. */
export const interruptEvent = 'shallot.interrupt';

/** Operations: the first word of a span's name, too. */
export const operation = Object.freeze({
  agent: 'invoke_agent',
  chat: 'chat',
  tool: 'execute_tool',
});

/** In which edition a name is what. */
export const cacheWriteTokens: Readonly<Record<Edition, string>> = {
  '1.41': 'gen_ai.usage.cache_creation.input_tokens',
  latest: 'gen_ai.usage.cache_write.input_tokens',
};

/** `error.type` when nothing better is known, and of a tool whose result says that it failed. */
export const otherError = '_OTHER';
export const toolError = 'tool_error';

/** Of tokens that are counted without saying what they stand for. */
export const unknownModality = 'unknown';

/** A metric instrument. Values of `s` are in seconds. */
export interface Instrument {
  readonly name: string;
  readonly unit: string;
  readonly description: string;
  readonly kind: 'histogram' | 'counter';
  readonly buckets?: readonly number[];
}

const durationBuckets = [
  0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
];
const agentDurationBuckets = [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 51.2, 102.4, 204.8, 409.6];
const tokenBuckets = [
  1, 4, 16, 64, 256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216, 67_108_864,
];
const callBuckets = [1, 2, 4, 8, 16, 32, 64, 128];

/** The instruments of both editions. */
export const instrument = Object.freeze({
  operationDuration: histogram(
    'gen_ai.client.operation.duration',
    's',
    'GenAI operation duration.',
    durationBuckets,
  ),
  timeToFirstChunk: histogram(
    'gen_ai.client.operation.time_to_first_chunk',
    's',
    'Time from the request to the first chunk of a streamed response.',
    durationBuckets,
  ),
  /** 1.41 only. */
  tokenUsage: histogram(
    'gen_ai.client.token.usage',
    '{token}',
    'Number of input and output tokens used.',
    tokenBuckets,
  ),
  /** The rest is of the latest edition only. */
  inputTokens: counter('gen_ai.client.inference.usage.input_tokens', 'Input tokens used.'),
  outputTokens: counter('gen_ai.client.inference.usage.output_tokens', 'Output tokens used.'),
  cacheReadTokens: counter(
    'gen_ai.client.inference.usage.cache_read.input_tokens',
    'Input tokens read from a cache.',
  ),
  cacheWriteTokens: counter(
    'gen_ai.client.inference.usage.cache_write.input_tokens',
    'Input tokens written to a cache.',
  ),
  reasoningTokens: counter(
    'gen_ai.client.inference.usage.reasoning.output_tokens',
    'Output tokens used for reasoning.',
  ),
  operationInputTokens: histogram(
    'gen_ai.client.inference.operation.input_tokens',
    '{token}',
    'Input tokens of one operation.',
    tokenBuckets,
  ),
  operationOutputTokens: histogram(
    'gen_ai.client.inference.operation.output_tokens',
    '{token}',
    'Output tokens of one operation.',
    tokenBuckets,
  ),
  agentDuration: histogram(
    'gen_ai.invoke_agent.duration',
    's',
    'Duration of one agent invocation.',
    agentDurationBuckets,
  ),
  agentInferenceCalls: histogram(
    'gen_ai.invoke_agent.inference_calls',
    '{inference_call}',
    'Model calls of one agent invocation.',
    callBuckets,
  ),
  agentToolCalls: histogram(
    'gen_ai.invoke_agent.tool_calls',
    '{tool_call}',
    'Tool calls of one agent invocation.',
    callBuckets,
  ),
  toolDuration: histogram(
    'gen_ai.execute_tool.duration',
    's',
    'Duration of one tool execution.',
    durationBuckets,
  ),
});

function histogram(name: string, unit: string, description: string, buckets: readonly number[]): Instrument {
  return { name, unit, description, kind: 'histogram', buckets };
}

function counter(name: string, description: string): Instrument {
  return { name, unit: '{token}', description, kind: 'counter' };
}

/** Providers that the conventions call otherwise than the first part of our model ids. */
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

/** What a model id says: `openai/gpt-5` is the model `gpt-5` of `openai`. Each span of a model's calls asks for it. */
export const describeModel: (id: string) => ModelDescription = remembering((id) => {
  const slash = id.indexOf('/');
  if (slash <= 0) return { provider: otherError, model: id };
  const provider = id.slice(0, slash);
  const known = Object.hasOwn(providers, provider) ? providers[provider] : undefined;
  return { provider: known ?? provider, model: id.slice(slash + 1) };
});

/** Finish reasons, as the conventions spell them. */
export const finishReasons = Object.freeze({
  stop: 'stop',
  'tool-calls': 'tool_call',
  length: 'length',
  'content-filter': 'content_filter',
  paused: 'stop',
  error: 'error',
  other: 'other',
});
