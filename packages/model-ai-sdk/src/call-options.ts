import type { LanguageModelV4FunctionTool, LanguageModelV4ToolChoice } from '@ai-sdk/provider';
import type { Tool } from '@shallot/core';
import type { ModelRequest, ToolChoice } from '@shallot/core/model';

import type { CallOptions, LanguageModel } from './language-model.ts';
import { answerFormat } from './output/answer-format.ts';
import type { PromptWriter } from './prompt.ts';
import { providerOptions } from './provider-options.ts';

/** What of a request an AI SDK model is called with. */
export function callOptions(
  request: ModelRequest,
  model: LanguageModel,
  writer: PromptWriter,
  signal: AbortSignal,
): CallOptions {
  const { instructions, messages, tools, toolChoice, output, settings } = request;
  const { provider: given, headers, stopSequences, ...plain } = settings;
  const hasTools = tools !== undefined && tools.length > 0;
  const own = providerOptions(model.provider, given);
  const format = output === undefined ? undefined : answerFormat(output, { model, hasTools }, own);
  const { responseFormat, words, options = own } = format ?? {};
  return {
    prompt: writer.write(
      words === undefined ? instructions : `${instructions}\n\n${words}`.trimStart(),
      messages,
    ),
    abortSignal: signal,
    ...plain,
    ...(stopSequences === undefined ? {} : { stopSequences: [...stopSequences] }),
    ...(headers === undefined ? {} : { headers: { ...headers } }),
    ...(options === undefined ? {} : { providerOptions: options }),
    ...(hasTools ? { tools: tools.map(functionTool) } : {}),
    ...(toolChoice === undefined ? {} : { toolChoice: choice(toolChoice) }),
    ...(responseFormat === undefined ? {} : { responseFormat }),
  };
}

const functionTools = new WeakMap<Tool, LanguageModelV4FunctionTool>();

function functionTool(tool: Tool): LanguageModelV4FunctionTool {
  let made = functionTools.get(tool);
  if (made === undefined) {
    const { name, description, inputSchema } = tool;
    made = { type: 'function', name, description, inputSchema };
    functionTools.set(tool, made);
  }
  return made;
}

function choice(toolChoice: ToolChoice): LanguageModelV4ToolChoice {
  return typeof toolChoice === 'string' ? { type: toolChoice } : { type: 'tool', toolName: toolChoice.tool };
}
