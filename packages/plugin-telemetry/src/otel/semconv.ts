/**
 * The names and numbers of the OpenTelemetry conventions for generative AI, written by hand from the specification: the
 * constants on npm are deprecated, and libraries are asked not to import the incubating ones. There are two editions,
 * because backends lag behind: 1.41, and the newest state of
 * https://github.com/open-telemetry/semantic-conventions-genai.
 */
export type Edition = '1.41' | 'latest';

/** The environment variables that the conventions define. */
export const editionVariable = 'OTEL_SEMCONV_STABILITY_OPT_IN';
export const captureVariable = 'OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT';

/** Returns the edition that `OTEL_SEMCONV_STABILITY_OPT_IN` asks for, a list separated by commas. */
export function editionOf(optIn: string | undefined): Edition {
  const wanted = (optIn ?? '').split(',').map((value) => value.trim());
  return wanted.includes('gen_ai_latest_experimental') ? 'latest' : '1.41';
}

/** The schema of the edition that has a published one. */
export const schemaUrl: Readonly<Record<Edition, string | undefined>> = {
  '1.41': 'https://opentelemetry.io/schemas/1.41.0',
  latest: undefined,
};

/** The places where messages, instructions, arguments and results are recorded. */
export type ContentPlace = 'none' | 'spans' | 'events' | 'both';

const contentPlaces: Readonly<Record<string, ContentPlace>> = {
  '1': 'spans',
  true: 'spans',
  span_only: 'spans',
  event_only: 'events',
  span_and_event: 'both',
};

/** Returns the place that `OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT` asks for; `none` for an unknown value. */
export function contentPlaceOf(setting: string | undefined): ContentPlace {
  const named = (setting ?? '').trim().toLowerCase();
  return (Object.hasOwn(contentPlaces, named) ? contentPlaces[named] : undefined) ?? 'none';
}

/** Attributes of spans and metrics. */
export const attribute = Object.freeze({
  agentDescription: 'gen_ai.agent.description',
  agentId: 'gen_ai.agent.id',
  agentName: 'gen_ai.agent.name',
  agentVersion: 'gen_ai.agent.version',
  conversationCompacted: 'gen_ai.conversation.compacted',
  conversationId: 'gen_ai.conversation.id',
  errorType: 'error.type',
  exceptionMessage: 'exception.message',
  exceptionStack: 'exception.stacktrace',
  exceptionType: 'exception.type',
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
  previousResponseId: 'gen_ai.request.previous_response.id',
  provider: 'gen_ai.provider.name',
  reasoningLevel: 'gen_ai.request.reasoning.level',
  requestModel: 'gen_ai.request.model',
  responseId: 'gen_ai.response.id',
  responseModel: 'gen_ai.response.model',
  finishReasons: 'gen_ai.response.finish_reasons',
  seed: 'gen_ai.request.seed',
  serverAddress: 'server.address',
  serverPort: 'server.port',
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
  agentId: 'shallot.agent.id',
  agentVersion: 'shallot.agent.version',
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
  parentCall: 'shallot.parent.call.id',
  parentRun: 'shallot.parent.run.id',
  parentSession: 'shallot.parent.session.id',
  parentStep: 'shallot.parent.step',
  plugin: 'shallot.plugin',
  purpose: 'shallot.purpose',
  resumed: 'shallot.run.resumed',
  rootSession: 'shallot.root.session.id',
  runId: 'shallot.run.id',
  step: 'shallot.step',
  stopReason: 'shallot.run.stop_reason',
  tap: 'shallot.layer.tap',
});

/** The name of the span event for a question that a run ends with. */
export const interruptEvent = 'shallot.interrupt';

/** Events of the conventions, which are log records. */
export const event = Object.freeze({
  details: 'gen_ai.client.inference.operation.details',
  exception: 'gen_ai.client.operation.exception',
});

/** The operations. Each is also the first word of a span's name. */
export const operation = Object.freeze({
  agent: 'invoke_agent',
  chat: 'chat',
  tool: 'execute_tool',
});

/** The attribute for tokens that were written to the cache, whose name differs between editions. */
export const cacheWriteTokens: Readonly<Record<Edition, string>> = {
  '1.41': 'gen_ai.usage.cache_creation.input_tokens',
  latest: 'gen_ai.usage.cache_write.input_tokens',
};

/** The `error.type` of a failure about which nothing better is known, and of a tool whose result reports an error. */
export const otherError = '_OTHER';
export const toolError = 'tool_error';

/** The modality of tokens that are counted without one. */
export const unknownModality = 'unknown';

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
