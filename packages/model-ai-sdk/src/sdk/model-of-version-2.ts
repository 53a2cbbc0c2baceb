import type {
  LanguageModelV2,
  LanguageModelV2CallOptions,
  LanguageModelV2CallWarning,
  LanguageModelV2FinishReason,
  LanguageModelV2StreamPart,
  LanguageModelV2ToolResultOutput,
  LanguageModelV2Usage,
  LanguageModelV3Content,
  LanguageModelV3FinishReason,
  LanguageModelV3StreamPart,
  LanguageModelV3Usage,
  SharedV3Warning,
} from '@ai-sdk/provider';

import type { CallOptions, LanguageModel, PromptMessage } from './language-model.ts';

/**
 * Wraps a model of specification v2, which many community packages still have, as one of v3. Prompts differ only in
 * results of tools, answers only in usage, finish reasons and warnings.
 */
export function modelOfVersion2(model: LanguageModelV2): LanguageModel {
  return {
    specificationVersion: 'v3',
    provider: model.provider,
    modelId: model.modelId,
    async doGenerate(options) {
      const result = await model.doGenerate(olderOptions(options));
      return {
        ...result,
        // Only the type of provider results differs, and these are kept as JSON in any case.
        content: result.content as LanguageModelV3Content[],
        finishReason: newerFinish(result.finishReason),
        usage: newerUsage(result.usage),
        warnings: result.warnings.map(newerWarning),
      };
    },
    async doStream(options) {
      const { stream, response } = await model.doStream(olderOptions(options));
      const newer = new TransformStream<LanguageModelV2StreamPart, LanguageModelV3StreamPart>({
        transform: (part, controller) => controller.enqueue(newerPart(part)),
      });
      return { stream: stream.pipeThrough(newer), response };
    },
  };
}

function olderOptions({ prompt, tools, ...plain }: CallOptions): LanguageModelV2CallOptions {
  const older = {
    ...plain,
    prompt: prompt.map(olderMessage),
    ...(tools === undefined
      ? {}
      : {
          tools: tools.map((tool) =>
            tool.type === 'provider' ? { ...tool, type: 'provider-defined' } : tool,
          ),
        }),
  };
  // Apart from the changes here, v2 accepts the options of v3.
  return older as LanguageModelV2CallOptions;
}

type ResultPart = Extract<
  Extract<PromptMessage, { role: 'tool' }>['content'][number],
  { type: 'tool-result' }
>;

function olderMessage(message: PromptMessage): unknown {
  if (message.role !== 'tool' && message.role !== 'assistant') return message;
  const content = message.content.map((part) =>
    part.type === 'tool-result' ? { ...part, output: olderOutput(part.output) } : part,
  );
  return { ...message, content };
}

function olderOutput(output: ResultPart['output']): LanguageModelV2ToolResultOutput {
  if (output.type === 'execution-denied') return { type: 'error-text', value: output.reason ?? 'denied' };
  if (output.type !== 'content') return output;
  const value = output.value.map((part) => {
    if (part.type === 'file-data' || part.type === 'image-data')
      return { type: 'media' as const, data: part.data, mediaType: part.mediaType };
    return { type: 'text' as const, text: part.type === 'text' ? part.text : 'url' in part ? part.url : '' };
  });
  return { type: 'content', value };
}

function newerPart(part: LanguageModelV2StreamPart): LanguageModelV3StreamPart {
  switch (part.type) {
    case 'stream-start':
      return { ...part, warnings: part.warnings.map(newerWarning) };
    case 'finish':
      return { ...part, finishReason: newerFinish(part.finishReason), usage: newerUsage(part.usage) };
    default:
      // The other parts are the same in v3, as in a whole answer.
      return part as LanguageModelV3StreamPart;
  }
}

/**
 * Converts a finish reason. Packages use `unknown` until the provider reports a reason, and keep it if the answer
 * breaks off, so it does not count as a reason of the provider.
 */
function newerFinish(reason: LanguageModelV2FinishReason): LanguageModelV3FinishReason {
  return reason === 'unknown' ? { unified: 'other', raw: undefined } : { unified: reason, raw: reason };
}

function newerUsage(usage: Partial<LanguageModelV2Usage> = {}): LanguageModelV3Usage {
  const { inputTokens, outputTokens, cachedInputTokens, reasoningTokens } = usage;
  return {
    inputTokens: {
      total: inputTokens,
      noCache: undefined,
      cacheRead: cachedInputTokens,
      cacheWrite: undefined,
    },
    outputTokens: { total: outputTokens, text: undefined, reasoning: reasoningTokens },
  };
}

function newerWarning(warning: LanguageModelV2CallWarning): SharedV3Warning {
  if (warning.type === 'other') return warning;
  const feature =
    warning.type === 'unsupported-setting' ? String(warning.setting) : `the tool ${warning.tool.name}`;
  const { details } = warning;
  return { type: 'unsupported', feature, ...(details === undefined ? {} : { details }) };
}
