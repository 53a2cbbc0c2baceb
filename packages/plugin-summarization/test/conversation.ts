import {
  type AgentEvent,
  type AgentOptions,
  type AssistantPart,
  createAgent,
  defineTool,
  type JsonObject,
  type Message,
  textOf,
} from '@shallot/core';
import { memoryFiles } from '@shallot/core/files';
import { type ChatModel, modelError, type ModelRequest, type ModelResponse } from '@shallot/core/model';
import { estimateTokens, textPart } from '@shallot/core/plugin';
import { assertValidRequest, collectEvents } from '@shallot/testing';

import { parseHistory } from '../src/history/history-format.ts';
import type { SummarizationOptions } from '../src/settings/options.ts';
import { summarization } from '../src/summarization.ts';

/** The answer of the model in these tests: text, or a call of the tool `note`. */
export type Say = string | { readonly callId: string; readonly args: JsonObject };

export interface TalkerOptions {
  /** Returns the answer to the nth request of the conversation, from 0. */
  readonly say?: (request: ModelRequest, index: number) => Say;
  /** Returns the nth summary, from 1. */
  readonly summary?: (request: ModelRequest, index: number) => string | Promise<string>;
  /** Returns true if the nth summary is cut off. */
  readonly cuts?: (index: number) => boolean;
  /** The size above which requests are rejected, in tokens. */
  readonly realContext?: number;
  /** The size of the context that the model reports. */
  readonly contextTokens?: number;
  /** True if the model reports usage. Default: true. */
  readonly reports?: boolean;
}

/** A model that always has an answer, and rejects requests that are invalid or too long. */
export interface Talker extends ChatModel {
  readonly requests: ModelRequest[];
  readonly summaryRequests: ModelRequest[];
}

/** Counts the tokens of a request, approximately as a provider would. */
function sizeOf(request: ModelRequest): number {
  const tools = (request.tools ?? []).map(({ name, description, inputSchema }) => ({
    name,
    description,
    inputSchema,
  }));
  return estimateTokens(
    request.instructions +
      JSON.stringify(tools) +
      request.messages.map(({ content }) => JSON.stringify(content)).join('\n'),
  );
}

export function talker({
  say = (_, index) => `Answer ${index}.`,
  summary = (_, index) => `Summary ${index}.`,
  cuts = () => false,
  realContext = Number.POSITIVE_INFINITY,
  contextTokens,
  reports = true,
}: TalkerOptions = {}): Talker {
  const requests: ModelRequest[] = [];
  const summaryRequests: ModelRequest[] = [];
  const answer = (content: AssistantPart[], input: number): ModelResponse => ({
    message: { role: 'assistant', content },
    finish: content.some(({ type }) => type === 'tool-call') ? 'tool-calls' : 'stop',
    ...(reports ? { usage: { input, output: 10, total: input + 10 } } : {}),
  });
  return {
    id: 'test/talker',
    ...(contextTokens === undefined ? {} : { limits: { contextTokens } }),
    requests,
    summaryRequests,
    async generate(request, { signal }) {
      signal.throwIfAborted();
      assertValidRequest(request);
      const size = sizeOf(request);
      if (size > realContext) {
        throw modelError('MODEL_CONTEXT_OVERFLOW', {
          message: `${size} tokens are more than ${realContext}.`,
        });
      }
      if (isForSummary(request)) {
        summaryRequests.push(request);
        const index = summaryRequests.length;
        const response = answer([textPart(await summary(request, index))], size);
        return cuts(index) ? { ...response, finish: 'length' } : response;
      }
      requests.push(request);
      const said = say(request, requests.length - 1);
      if (typeof said === 'string') return answer([textPart(said)], size);
      const id = `call_${requests.length}`;
      return answer([{ type: 'tool-call', id, name: said.callId, input: said.args }], size);
    },
  };
}

function isForSummary({ messages }: ModelRequest): boolean {
  return messages.length === 1 && messages[0]?.source === 'summarization';
}

const anything = { type: 'object' } as const;
const note = defineTool({
  name: 'note',
  description: 'Notes.',
  input: anything,
  effect: 'read',
  execute: (args) => `noted ${JSON.stringify(args)}`,
});
const writeFile = defineTool({
  name: 'write_file',
  description: 'Writes a file.',
  input: anything,
  effect: 'idempotent',
  execute: () => 'written',
});

/** Creates an agent with the plugin, and functions that show the effect on its session. */
export async function conversation(
  model: ChatModel,
  options: SummarizationOptions,
  rest: Partial<AgentOptions> = {},
) {
  const files = memoryFiles();
  const agent = await createAgent({
    model,
    tools: [note, writeFile],
    files,
    log: 'silent',
    ...rest,
    plugins: [summarization(options), ...(rest.plugins ?? [])],
  });
  const sessionId = 'talk';
  const events: AgentEvent[] = [];
  const said: Message[] = [];
  const path = `${options.historyDirectory ?? '/conversation_history'}/${sessionId}.md`;
  const historyOf = async (at: AgentOptions['files'] = files) => {
    if (typeof at === 'function' || (await at.stat(path)) === undefined) return [];
    return parseHistory((await at.readText(path)).text).sections;
  };
  return {
    agent,
    files,
    events,
    path,
    /** All messages that were ever in the session, except those of the plugin. */
    said,
    async say(text: string): Promise<string> {
      const collected = await collectEvents(agent.stream(text, { sessionId }));
      events.push(...collected.events);
      said.push(...(collected.result?.messages ?? []).filter(({ source }) => source !== 'summarization'));
      if (collected.error !== undefined) throw collected.error as Error;
      return collected.text;
    },
    async messages(): Promise<readonly Message[]> {
      return (await agent.session(sessionId))?.messages ?? [];
    },
    history: () => historyOf(rest.files),
    historyOf,
    happened: (name: string) =>
      events.flatMap((event) =>
        event.type === 'plugin' && event.name === name ? [event.data as JsonObject] : [],
      ),
    warned: () => events.flatMap((event) => (event.type === 'warning' ? [event.code] : [])),
  };
}

export function texts(messages: readonly Message[]): string[] {
  return messages.map((message) => `${message.role}: ${textOf(message)}`);
}
