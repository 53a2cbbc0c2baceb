import { Agent, type AgentMessage, type AgentTool, type StreamFn } from '@earendil-works/pi-agent-core';
import {
  type Api,
  type AssistantMessage,
  type AssistantMessageEvent,
  createAssistantMessageEventStream,
  type Model,
  type TranscriptContext,
  Type,
} from '@earendil-works/pi-ai';

import {
  answer,
  chunkText,
  countTool,
  eventLoopTurn,
  historyText,
  instructions,
  nextCount,
  question,
} from '../script.ts';
import { defineSubject } from '../subject.ts';
import type { Tally } from '../tally.ts';
import type { Workload } from '../workload.ts';

/**
 * pi agent core. It has one function of each kind instead of plugins, so the layers are composed into these by hand:
 * `transformContext`, a nested stream function, and a nested `execute`. Each session is an agent.
 */
export const subject = defineSubject({
  places: ['beforeModel', 'wrapModelCall', 'wrapToolCall'],
  transforms: true,
  create(workload, tally) {
    const streamFn = createStreamFn(workload, tally);
    const tools = [createTool(workload, tally)];
    const beforeModel = Array.from({ length: workload.layers }, () => (messages: AgentMessage[]) => {
      tally.beforeModel += 1;
      return messages;
    });
    return {
      open() {
        const messages = newMessages(workload.history);
        const agent = new Agent({
          streamFn,
          initialState: { systemPrompt: instructions, model, tools },
          transformContext: async (given) => {
            let current = given;
            for (const layer of beforeModel) current = layer(current);
            return current;
          },
        });
        if (messages.length > 0) agent.state.messages = [...agent.state.messages, ...messages];
        return agent;
      },
      async run(agent: Agent) {
        if (workload.chunks === 0) {
          await agent.prompt(question);
          return;
        }
        const unsubscribe = agent.subscribe((event) => {
          if (event.type !== 'message_update') return;
          const { assistantMessageEvent: update } = event;
          if (update.type === 'text_delta') tally.delivered += update.delta.length;
        });
        await agent.prompt(question);
        unsubscribe();
      },
      forget(agent: Agent) {
        agent.reset();
      },
    };
  },
});

const model: Model<Api> = {
  id: 'scripted',
  name: 'scripted',
  api: 'scripted',
  provider: 'scripted',
  baseUrl: '',
  reasoning: false,
  input: ['text'],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 1_000_000,
  maxTokens: 1000,
};

function createStreamFn(workload: Workload, tally: Tally): StreamFn {
  let streamFn: StreamFn = (_model, context) => {
    tally.modelCalls += 1;
    const stream = createAssistantMessageEventStream();
    void writeAnswer(context, workload, (event) => stream.push(event));
    return stream;
  };
  for (let layer = 0; layer < workload.layers; layer += 1) {
    const inner = streamFn;
    streamFn = async (called, context, options) => {
      tally.wrapModelCall += 1;
      const stream = await inner(called, context, options);
      if (!workload.transform) return stream;
      const replaced = createAssistantMessageEventStream();
      void (async () => {
        for await (const event of stream) {
          if (event.type !== 'text_delta') {
            replaced.push(event);
            continue;
          }
          tally.transformed += 1;
          replaced.push({ ...event });
        }
      })();
      return replaced;
    };
  }
  return streamFn;
}

async function writeAnswer(
  context: TranscriptContext,
  workload: Workload,
  push: (event: AssistantMessageEvent) => void,
): Promise<void> {
  if (workload.latency === 'turn') await eventLoopTurn();
  const n = nextCount(reached(context), workload);
  if (n !== undefined) {
    const message = assistant(
      [{ type: 'toolCall', id: `c${n}`, name: countTool.name, arguments: { n } }],
      'toolUse',
    );
    push({ type: 'done', reason: 'toolUse', message });
    return;
  }
  if (workload.chunks === 0) {
    push({ type: 'done', reason: 'stop', message: assistant([{ type: 'text', text: answer }], 'stop') });
    return;
  }
  const part = { type: 'text' as const, text: '' };
  const partial = assistant([part], 'stop');
  push({ type: 'start', partial });
  push({ type: 'text_start', contentIndex: 0, partial });
  for (let index = 0; index < workload.chunks; index += 1) {
    part.text += chunkText;
    push({ type: 'text_delta', contentIndex: 0, delta: chunkText, partial });
    // One turn of the microtask queue per chunk, as in the other subjects.
    await undefined;
  }
  push({ type: 'text_end', contentIndex: 0, content: part.text, partial });
  push({ type: 'done', reason: 'stop', message: partial });
}

function reached(context: TranscriptContext): number {
  const last = context.messages.at(-1);
  if (last?.role !== 'toolResult') return 0;
  const part = last.content[0];
  return part?.type === 'text' ? Number(part.text) : 0;
}

function assistant(content: AssistantMessage['content'], stopReason: 'stop' | 'toolUse'): AssistantMessage {
  return {
    role: 'assistant',
    content,
    api: model.api,
    provider: model.provider,
    model: model.id,
    usage: {
      input: 10,
      output: 5,
      cacheRead: 0,
      cacheWrite: 0,
      totalTokens: 15,
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
    },
    stopReason,
    timestamp: 0,
  };
}

function createTool({ layers, latency }: Workload, tally: Tally): AgentTool {
  let execute: AgentTool['execute'] = async (_id, params) => {
    tally.toolCalls += 1;
    if (latency === 'turn') await eventLoopTurn();
    const { n } = params as { n: number };
    return { content: [{ type: 'text', text: String(n) }], details: undefined };
  };
  for (let layer = 0; layer < layers; layer += 1) {
    const inner = execute;
    execute = async (id, params, signal, onUpdate) => {
      tally.wrapToolCall += 1;
      return await inner(id, params, signal, onUpdate);
    };
  }
  return {
    name: countTool.name,
    label: countTool.name,
    description: countTool.description,
    parameters: Type.Object({ n: Type.Number() }),
    execute,
  };
}

function newMessages(history: number): AgentMessage[] {
  return Array.from({ length: history }, (_, index): AgentMessage =>
    index % 2 === 0
      ? { role: 'user', content: historyText(index), timestamp: 0 }
      : assistant([{ type: 'text', text: historyText(index) }], 'stop'),
  );
}
