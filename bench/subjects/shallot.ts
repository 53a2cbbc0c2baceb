import { createAgent, defineTool, definePlugin, memoryStore, type Message, type Plugin } from '@shallot/core';
import type { ChatModel, ModelResponse } from '@shallot/core/model';

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
import { layerPlaces, type Tally } from '../tally.ts';
import type { Workload } from '../workload.ts';

/** Shallot as it is published, with everything on that is on by default. */
export const subject = defineSubject({
  places: layerPlaces,
  transforms: true,
  async create(workload, tally) {
    const store = memoryStore();
    const agent = await createAgent({
      model: createModel(workload, tally),
      instructions,
      tools: [createTool(workload, tally)],
      plugins: createPlugins(workload, tally),
      store,
      maxSteps: workload.steps + 1,
    });
    const history = createHistory(workload.history);
    let sessions = 0;
    return {
      async open() {
        sessions += 1;
        const session = `session-${sessions}`;
        if (history.length > 0) await store.commit(session, 0, { append: history });
        return session;
      },
      async run(session: string) {
        if (workload.chunks === 0) {
          await agent.run(question, { session });
          return;
        }
        for await (const event of agent.stream(question, { session })) {
          if (event.type === 'text-delta') tally.delivered += event.text.length;
        }
      },
      async forget(session: string) {
        await store.delete(session);
      },
    };
  },
});

function createModel(workload: Workload, tally: Tally): ChatModel {
  const { chunks, latency } = workload;
  return {
    id: 'bench/scripted',
    async generate(request, call) {
      tally.modelCalls += 1;
      tally.onModelCall?.();
      if (latency === 'turn') await eventLoopTurn();
      const n = nextCount(reached(request.messages), workload);
      if (n !== undefined) return toolCall(n);
      if (!call.wantsChunks || chunks === 0) return answerOf(answer);
      for (let index = 0; index < chunks; index += 1) {
        await call.emit({ type: 'text-delta', index: 0, text: chunkText });
      }
      return answerOf(chunkText.repeat(chunks));
    },
  };
}

function reached(messages: readonly Message[]): number {
  const last = messages.at(-1);
  if (last?.role !== 'tool') return 0;
  const part = last.content[0];
  return part?.type === 'text' ? Number(part.text) : 0;
}

function toolCall(n: number): ModelResponse {
  return {
    message: {
      role: 'assistant',
      content: [{ type: 'tool-call', id: `c${n}`, name: countTool.name, input: { n } }],
    },
    usage: { input: 10, output: 5, total: 15 },
    finish: 'tool-calls',
  };
}

function answerOf(text: string): ModelResponse {
  return {
    message: { role: 'assistant', content: [{ type: 'text', text }] },
    usage: { input: 10, output: 5, total: 15 },
    finish: 'stop',
  };
}

function createTool({ latency }: Workload, tally: Tally) {
  return defineTool({
    name: countTool.name,
    description: countTool.description,
    input: countTool.schema,
    async execute(args) {
      tally.toolCalls += 1;
      if (latency === 'turn') await eventLoopTurn();
      return String((args as { n: number }).n);
    },
  });
}

function createPlugins({ layers, transform }: Workload, tally: Tally): Plugin[] {
  return Array.from({ length: layers }, (_, index) => {
    const plugin = definePlugin({
      name: `layer-${index}`,
      setup({ hooks }) {
        hooks.beforeModel.tap('count', () => {
          tally.beforeModel += 1;
          return undefined;
        });
        hooks.afterModel.tap('count', () => {
          tally.afterModel += 1;
          return undefined;
        });
        hooks.wrapModelCall.tapPromise('count', async (request, next, { emit }) => {
          tally.wrapModelCall += 1;
          if (!transform || !emit) return await next(request);
          return await next(request, {
            emit(chunk) {
              if (chunk.type !== 'text-delta') return emit(chunk);
              tally.transformed += 1;
              return emit({ type: chunk.type, index: chunk.index, text: chunk.text });
            },
          });
        });
        hooks.wrapToolCall.tapPromise('count', async (call, next) => {
          tally.wrapToolCall += 1;
          return await next(call);
        });
      },
    });
    return plugin();
  });
}

/** Frozen, as the messages are that the core itself commits. */
function createHistory(length: number): Message[] {
  return Array.from({ length }, (_, index): Message =>
    Object.freeze({
      role: index % 2 === 0 ? 'user' : 'assistant',
      id: `h${index}`,
      content: Object.freeze([Object.freeze({ type: 'text', text: historyText(index) })]),
    }),
  );
}
