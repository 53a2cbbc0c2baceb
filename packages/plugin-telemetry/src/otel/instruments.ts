import type { Edition } from './semconv.ts';

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

/** The times of model calls, in each edition. */
export const callTimes: Readonly<Record<Edition, CallTimes>> = {
  '1.41': callTimesOf('gen_ai.client.operation'),
  latest: callTimesOf('gen_ai.client.inference'),
};

export interface CallTimes {
  readonly duration: Instrument;
  readonly toFirstChunk: Instrument;
  readonly perChunk: Instrument;
}

function callTimesOf(prefix: string): CallTimes {
  const seconds = (name: string, description: string): Instrument =>
    histogram(`${prefix}.${name}`, 's', description, durationBuckets);
  return {
    duration: seconds('duration', 'Duration of one model call.'),
    toFirstChunk: seconds(
      'time_to_first_chunk',
      'Time from the request to the first chunk of a streamed response.',
    ),
    perChunk: seconds('time_per_output_chunk', 'Time from one chunk of a streamed response to the next.'),
  };
}

/** The other instruments. */
export const instrument = Object.freeze({
  /** Only in edition 1.41. */
  tokenUsage: histogram(
    'gen_ai.client.token.usage',
    '{token}',
    'Number of input and output tokens used.',
    tokenBuckets,
  ),
  /** The instruments below are only in the latest edition. */
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
