import {
  Agent,
  ExecuteToolStage,
  InvokeModelStage,
  Message,
  Model,
  ModelContentBlockDeltaEvent,
  ModelContentBlockStartEvent,
  ModelContentBlockStopEvent,
  ModelMessageStartEvent,
  ModelMessageStopEvent,
  type ModelStreamEvent,
  ModelStreamUpdateEvent,
  NullConversationManager,
  TextBlock,
  tool,
} from '@strands-agents/sdk';
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

/** Strands: layers as middleware on the input, wrap and output phases of its stages. Each session is an agent. */
export const subject = defineSubject({
  places: layerPlaces,
  transforms: true,
  create(workload, tally) {
    const model = new ScriptedModel(workload, tally);
    const tools = [createTool(workload, tally)];
    return {
      open() {
        const agent = new Agent({
          model,
          tools,
          systemPrompt: instructions,
          messages: newMessages(workload.history),
          conversationManager: new NullConversationManager(),
          printer: false,
        });
        addLayers(agent, workload, tally);
        return agent;
      },
      async run(agent: Agent) {
        if (workload.chunks === 0) {
          await agent.invoke(question);
          return;
        }
        for await (const event of agent.stream(question)) {
          if (event instanceof ModelStreamUpdateEvent) tally.delivered += textOf(event.event).length;
        }
      },
      forget(agent: Agent) {
        agent.messages.length = 0;
      },
    };
  },
});

class ScriptedModel extends Model {
  readonly #workload: Workload;
  readonly #tally: Tally;

  constructor(workload: Workload, tally: Tally) {
    super();
    this.#workload = workload;
    this.#tally = tally;
  }

  updateConfig(): void {}

  getConfig() {
    return { modelId: 'scripted', contextWindowLimit: 1_000_000 };
  }

  async *stream(messages: Message[]): AsyncGenerator<ModelStreamEvent> {
    this.#tally.modelCalls += 1;
    if (this.#workload.latency === 'turn') await eventLoopTurn();
    const n = nextCount(reached(messages), this.#workload);
    yield new ModelMessageStartEvent({ type: 'modelMessageStartEvent', role: 'assistant' });
    if (n !== undefined) {
      yield new ModelContentBlockStartEvent({
        type: 'modelContentBlockStartEvent',
        start: { type: 'toolUseStart', name: countTool.name, toolUseId: `c${n}` },
      });
      yield delta({ type: 'toolUseInputDelta', input: JSON.stringify({ n }) });
    } else {
      yield new ModelContentBlockStartEvent({ type: 'modelContentBlockStartEvent' });
      const { chunks } = this.#workload;
      if (chunks === 0) yield delta({ type: 'textDelta', text: answer });
      for (let index = 0; index < chunks; index += 1) yield delta({ type: 'textDelta', text: chunkText });
    }
    yield new ModelContentBlockStopEvent({ type: 'modelContentBlockStopEvent' });
    const stopReason = n === undefined ? 'endTurn' : 'toolUse';
    yield new ModelMessageStopEvent({ type: 'modelMessageStopEvent', stopReason });
  }
}

type Delta = ModelContentBlockDeltaEvent['delta'];

function delta(value: Delta): ModelContentBlockDeltaEvent {
  return new ModelContentBlockDeltaEvent({ type: 'modelContentBlockDeltaEvent', delta: value });
}

function textOf(event: ModelStreamEvent): string {
  if (!(event instanceof ModelContentBlockDeltaEvent)) return '';
  return event.delta.type === 'textDelta' ? event.delta.text : '';
}

function reached(messages: readonly Message[]): number {
  const block = messages.at(-1)?.content[0];
  if (block?.type !== 'toolResultBlock') return 0;
  const content = block.content[0];
  return content?.type === 'textBlock' ? Number(content.text) : 0;
}

function addLayers(agent: Agent, { layers, transform }: Workload, tally: Tally): void {
  for (let layer = 0; layer < layers; layer += 1) {
    agent.addMiddleware(InvokeModelStage.Input, (context) => {
      tally.beforeModel += 1;
      return context;
    });
    agent.addMiddleware(InvokeModelStage.Output, (result) => {
      tally.afterModel += 1;
      return result;
    });
    agent.addMiddleware(InvokeModelStage, async function* wrapModelCall(context, next) {
      tally.wrapModelCall += 1;
      if (!transform) return yield* next(context);
      const events = next(context);
      for (;;) {
        const { done, value } = await events.next();
        if (done) return value;
        if (!(value instanceof ModelStreamUpdateEvent) || textOf(value.event) === '') {
          yield value;
          continue;
        }
        tally.transformed += 1;
        yield new ModelStreamUpdateEvent({
          agent: value.agent,
          event: delta({ type: 'textDelta', text: textOf(value.event) }),
          invocationState: value.invocationState,
        });
      }
    });
    agent.addMiddleware(ExecuteToolStage, async function* wrapToolCall(context, next) {
      tally.wrapToolCall += 1;
      return yield* next(context);
    });
  }
}

function createTool({ latency }: Workload, tally: Tally) {
  return tool({
    name: countTool.name,
    description: countTool.description,
    inputSchema: z.object({ n: z.number() }),
    async callback({ n }) {
      tally.toolCalls += 1;
      if (latency === 'turn') await eventLoopTurn();
      return String(n);
    },
  });
}

function newMessages(history: number): Message[] {
  return Array.from(
    { length: history },
    (_, index) =>
      new Message({
        role: index % 2 === 0 ? 'user' : 'assistant',
        content: [new TextBlock(historyText(index))],
      }),
  );
}
