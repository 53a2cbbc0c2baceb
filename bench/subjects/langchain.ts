import type { CallbackManagerForLLMRun } from '@langchain/core/callbacks/manager';
import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import {
  AIMessage,
  AIMessageChunk,
  type BaseMessage,
  HumanMessage,
  ToolMessage,
} from '@langchain/core/messages';
import { ChatGenerationChunk, type ChatResult } from '@langchain/core/outputs';
import { createAgent, createMiddleware, tool } from 'langchain';
import { z } from 'zod';

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

/** LangChain: `createAgent` with middleware. It has no checkpointer, so it stores less than the others do. */
export const subject = defineSubject({
  places: layerPlaces,
  transforms: false,
  create(workload, tally) {
    const agent = createAgent({
      model: new ScriptedChatModel(workload, tally),
      tools: [createTool(workload, tally)],
      systemPrompt: instructions,
      middleware: createLayers(workload, tally),
    });
    const config = { recursionLimit: 100_000 };
    return {
      open: () => newSession(workload.history),
      async run(session: BaseMessage[]) {
        session.push(new HumanMessage(question));
        if (workload.chunks === 0) {
          const { messages } = await agent.invoke({ messages: session }, config);
          session.splice(0, session.length, ...messages);
          return;
        }
        const stream = await agent.stream({ messages: session }, { ...config, streamMode: 'messages' });
        for await (const [message] of stream) tally.delivered += message.text.length;
      },
      forget(session: BaseMessage[]) {
        session.length = 0;
      },
    };
  },
});

class ScriptedChatModel extends BaseChatModel {
  readonly #workload: Workload;
  readonly #tally: Tally;

  constructor(workload: Workload, tally: Tally) {
    super({});
    this.#workload = workload;
    this.#tally = tally;
  }

  _llmType(): string {
    return 'scripted';
  }

  override bindTools(): this {
    return this;
  }

  async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    this.#tally.modelCalls += 1;
    if (this.#workload.latency === 'turn') await eventLoopTurn();
    const last = messages.at(-1);
    const n = nextCount(last instanceof ToolMessage ? Number(last.content) : 0, this.#workload);
    const message =
      n === undefined
        ? new AIMessage(answer)
        : new AIMessage({
            content: '',
            tool_calls: [{ id: `c${n}`, name: countTool.name, args: { n }, type: 'tool_call' }],
          });
    return { generations: [{ message, text: n === undefined ? answer : '' }] };
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    _options: this['ParsedCallOptions'],
    runManager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    // The base class streams unless this throws.
    if (this.#workload.chunks === 0) throw new Error('streamed without need');
    this.#tally.modelCalls += 1;
    for (let index = 0; index < this.#workload.chunks; index += 1) {
      const chunk = new ChatGenerationChunk({ message: new AIMessageChunk(chunkText), text: chunkText });
      yield chunk;
      await runManager?.handleLLMNewToken(chunkText, undefined, undefined, undefined, undefined, { chunk });
    }
  }
}

function createLayers({ layers }: Workload, tally: Tally) {
  return Array.from({ length: layers }, (_, index) =>
    createMiddleware({
      name: `layer-${index}`,
      beforeModel() {
        tally.beforeModel += 1;
      },
      afterModel() {
        tally.afterModel += 1;
      },
      async wrapModelCall(request, handler) {
        tally.wrapModelCall += 1;
        return await handler(request);
      },
      async wrapToolCall(request, handler) {
        tally.wrapToolCall += 1;
        return await handler(request);
      },
    }),
  );
}

function createTool({ latency }: Workload, tally: Tally) {
  return tool(
    async ({ n }: { n: number }) => {
      tally.toolCalls += 1;
      if (latency === 'turn') await eventLoopTurn();
      return String(n);
    },
    { name: countTool.name, description: countTool.description, schema: z.object({ n: z.number() }) },
  );
}

function newSession(history: number): BaseMessage[] {
  return Array.from({ length: history }, (_, index) =>
    index % 2 === 0 ? new HumanMessage(historyText(index)) : new AIMessage(historyText(index)),
  );
}
