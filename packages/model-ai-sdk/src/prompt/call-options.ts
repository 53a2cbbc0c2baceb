import type { LanguageModelV4FunctionTool, LanguageModelV4ToolChoice } from '@ai-sdk/provider';
import type { Tool } from '@shallot/core';
import { modelError, type ModelRequest, type ToolChoice } from '@shallot/core/model';

import { answerFormat } from '../output/answer-format.ts';
import type { CallOptions, LanguageModel } from '../sdk/language-model.ts';
import type { ProviderMetadata } from '../sdk/metadata.ts';
import { cacheDialect } from './cache-dialect.ts';
import { fitThinking } from './fit-thinking.ts';
import type { PromptWriter } from './prompt.ts';
import { providerOptions } from './provider-options.ts';
import { ownProviderTools } from './provider-tools.ts';
import { sizeLimitsOf } from './size-limits.ts';

/** The parts needed to write a request. */
export interface RequestWriting {
  readonly model: LanguageModel;
  readonly writer: PromptWriter;
  /** True to request the content of reasoning from models that do not send it by default. */
  readonly wantsThoughts: boolean;
}

/**
 * Returns the call options of an AI SDK model for a request; `warn` is called for each necessary change.
 * @throws `MODEL_BAD_REQUEST` for more tools than the vendor accepts
 */
export function callOptions(
  request: ModelRequest,
  { model, writer, wantsThoughts }: RequestWriting,
  signal: AbortSignal,
  warn: (change: string) => void,
): CallOptions {
  const { instructions, messages, toolChoice, output, settings, cache } = request;
  const { provider: given, headers, stopSequences, ...plain } = settings;
  const dialect = cache === undefined ? undefined : cacheDialect(model);
  const mark = dialect?.mark?.(cache?.ttl);
  const marksTools = dialect?.onTools === true && cache?.tools === true;
  const tools = toolsOf(request, model, marksTools ? mark : undefined);
  refuseTooMany(tools.length, model);
  const hasTools = tools.length > 0;
  const own = providerOptions(model.provider, given, { added: dialect?.request, wantsThoughts });
  const format = output === undefined ? undefined : answerFormat(output, { model, hasTools }, own);
  const { responseFormat, words, options = own } = format ?? {};
  const written: CallOptions = {
    prompt: writer.write(
      words === undefined ? instructions : `${instructions}\n\n${words}`.trimStart(),
      messages,
      mark && {
        instructions: cache?.instructions === true,
        messages: markedIds(request, (dialect?.marks ?? 0) - (marksTools ? 1 : 0)),
        mark,
      },
    ),
    abortSignal: signal,
    ...plain,
    ...(stopSequences === undefined ? {} : { stopSequences: [...stopSequences] }),
    ...(headers === undefined ? {} : { headers: { ...headers } }),
    ...(options === undefined ? {} : { providerOptions: options }),
    ...(hasTools ? { tools } : {}),
    ...(isPossible(toolChoice, tools) ? { toolChoice: choice(toolChoice) } : {}),
    ...(responseFormat === undefined ? {} : { responseFormat }),
  };
  const { why, ...changed } = fitThinking(written) ?? {};
  if (why === undefined) return written;
  warn(why);
  return { ...written, ...changed };
}

/** Returns the messages to mark: the last ones, if there are more than the provider accepts beside the instructions. */
function markedIds({ messages, cache, instructions }: ModelRequest, most: number): ReadonlySet<string> {
  const left = cache?.instructions === true && instructions !== '' ? most - 1 : most;
  const wanted = new Set(cache?.messages);
  const marked = messages.flatMap(({ id }) => (wanted.has(id) ? [id] : []));
  return new Set(left > 0 ? marked.slice(-left) : []);
}

function refuseTooMany(tools: number, model: LanguageModel): void {
  const { tools: limit } = sizeLimitsOf(model);
  if (limit === undefined || tools <= limit.most) return;
  throw modelError('MODEL_BAD_REQUEST', {
    message: `${model.modelId} would be offered ${tools} tools. ${limit.words} (${limit.page}): offer fewer, or let the model search for them with @shallot/plugin-toolset.`,
  });
}

/**
 * Returns the tools of a call. Provider tools come first, because a mark on the last function tool covers everything
 * before it.
 */
function toolsOf(
  { tools = [], providerTools = [] }: ModelRequest,
  model: LanguageModel,
  mark: ProviderMetadata | undefined,
): NonNullable<CallOptions['tools']> {
  const ours = tools.map(functionTool);
  const last = ours.at(-1);
  if (mark !== undefined && last !== undefined) ours[ours.length - 1] = { ...last, providerOptions: mark };
  return [...ownProviderTools(providerTools, model), ...ours];
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

/**
 * Returns true if the tool choice can be sent. It may name a tool of another provider, which is not offered to this model.
 */
function isPossible(
  toolChoice: ToolChoice | undefined,
  tools: NonNullable<CallOptions['tools']>,
): toolChoice is ToolChoice {
  if (toolChoice === undefined || tools.length === 0) return false;
  return typeof toolChoice === 'string' || tools.some(({ name }) => name === toolChoice.tool);
}

function choice(toolChoice: ToolChoice): LanguageModelV4ToolChoice {
  return typeof toolChoice === 'string' ? { type: toolChoice } : { type: 'tool', toolName: toolChoice.tool };
}
