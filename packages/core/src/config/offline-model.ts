import { ShallotError } from '../base/errors.ts';
import { isObject } from '../base/is-object.ts';
import type { JsonObject } from '../base/json.ts';
import { textOf, type AssistantPart, type Message, type ToolCallPart } from '../contract/messages.ts';
import type { ChatModel, ModelRequest, ModelResponse } from '../contract/model.ts';
import { estimateTokens } from '../tokens/estimate-tokens.ts';
import type { Config } from './check/config.ts';
import type { Mention } from './modules/locate.ts';

/** The name of the built-in model in a config. */
export const offline = 'offline';

const notice = '(offline model: no provider is asked)';
/** The maximum number of characters of an input or a result that an answer repeats. */
const shownLength = 200;

/**
 * The model of `model: offline`: it needs no provider, key or network. It answers with the first words of the input, or of
 * the tool results. Each line `call TOOL {json}` of an input becomes a call of that tool, so that tools, approvals and
 * other plugins can be tried. Usage is estimated.
 */
export const offlineModel: ChatModel = {
  id: 'offline',
  endpoint: 'offline',
  async generate(request, { emit, wantsChunks }) {
    const content = answerTo(request);
    if (wantsChunks) {
      for (const [index, part] of content.entries()) {
        if (part.type === 'text') await emit({ type: 'text-delta', index, text: part.text });
      }
    }
    return responseOf(content, request);
  },
};

/** Returns a warning about a config's offline model, because its answers may be mistaken for those of a provider. */
export function doubtsAboutModel(model: Mention<NonNullable<Config['model']>> | undefined): ShallotError[] {
  if (model?.value !== offline) return [];
  const message =
    'The model is "offline": it repeats inputs and makes calls that they spell out, and no provider is asked. Write `model: provider/model` to ask one.';
  return [new ShallotError('MODEL_OFFLINE', { message, at: model.locate() })];
}

function answerTo({ messages, tools = [], toolChoice, output }: ModelRequest): AssistantPart[] {
  const results = resultsAtEnd(messages);
  if (results.length > 0) {
    const answers = results.map((result) => `${result.name} answered: ${firstWords(textOf(result))}`);
    return [{ type: 'text', text: `${answers.join('\n')} ${notice}` }];
  }
  const input = textOf(messages.findLast(({ role }) => role === 'user') ?? { content: [] });
  // The input is the only possible source of a valid answer, since the model cannot make up data.
  if (output !== undefined) return [{ type: 'text', text: input }];
  const read = readCalls(input, messages.length);
  if (read.calls.length > 0 || read.faults.length > 0) {
    const text = read.faults.map((fault) => `${fault} ${notice}`).join('\n');
    return [...(text === '' ? [] : [{ type: 'text' as const, text }]), ...read.calls];
  }
  const forced = forcedTool(toolChoice, tools);
  if (forced !== undefined) return [callOf(forced, {}, `${messages.length}_1`)];
  return [{ type: 'text', text: `${firstWords(input)} ${notice}`.trimStart() }];
}

function resultsAtEnd(messages: readonly Message[]) {
  const last = messages.findLastIndex(({ role }) => role !== 'tool');
  return messages.slice(last + 1).filter((message) => message.role === 'tool');
}

interface ReadCalls {
  readonly calls: ToolCallPart[];
  readonly faults: string[];
}

/** Reads the lines `call TOOL {json}`; arguments may be left out. `at` makes the ids of calls unique in the session. */
function readCalls(input: string, at: number): ReadCalls {
  const read: ReadCalls = { calls: [], faults: [] };
  for (const [, tool = '', text = ''] of input.matchAll(
    /^[^\S\n]*call[^\S\n]+([\w.:-]+)[^\S\n]*(\{.*)?$/gm,
  )) {
    const args = parseArguments(text);
    if (args === undefined) read.faults.push(`The arguments of "call ${tool}" are not a JSON object.`);
    else read.calls.push(callOf(tool, args, `${at}_${read.calls.length + 1}`));
  }
  return read;
}

function parseArguments(text: string): JsonObject | undefined {
  if (text === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    // A parsed object is a JSON object.
    return isObject(value) ? (value as JsonObject) : undefined;
  } catch {
    // Not JSON: the answer reports the fault.
    return undefined;
  }
}

function callOf(name: string, input: JsonObject, id: string): ToolCallPart {
  return { type: 'tool-call', id: `offline_${id}`, name, input };
}

function forcedTool(choice: ModelRequest['toolChoice'], tools: ModelRequest['tools']): string | undefined {
  if (choice === 'required') return tools?.[0]?.name;
  return typeof choice === 'object' ? choice.tool : undefined;
}

/** Returns the beginning of a text on one line, cut between words if possible. */
function firstWords(text: string): string {
  const line = text.trim().replaceAll(/\s+/g, ' ');
  if (line.length <= shownLength) return line;
  return `${line.slice(0, shownLength).replace(/\s\S*$/, '')} …`;
}

function responseOf(content: AssistantPart[], { instructions, messages }: ModelRequest): ModelResponse {
  const input = sum([instructions, ...messages.map((message) => JSON.stringify(message.content))]);
  const output = sum(content.map((part) => (part.type === 'text' ? part.text : JSON.stringify(part))));
  return {
    message: { role: 'assistant', content },
    usage: { input, output, total: input + output },
    finish: content.some(({ type }) => type === 'tool-call') ? 'tool-calls' : 'stop',
  };
}

function sum(texts: readonly string[]): number {
  return texts.reduce((tokens, text) => tokens + estimateTokens(text), 0);
}
