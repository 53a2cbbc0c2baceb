import { Agent } from '@mastra/core/agent';
import type { MastraModelConfig } from '@mastra/core/llm';
import type { Processor } from '@mastra/core/processors';
import { createTool as defineMastraTool } from '@mastra/core/tools';
import type { LanguageModel, ModelMessage } from 'ai';
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
import type { Tally } from '../tally.ts';
import type { Workload } from '../workload.ts';

/** Mastra, without memory: layers as input and output processors of a step, and as a nested `execute`. */
export const subject = defineSubject({
  places: ['beforeModel', 'afterModel', 'wrapToolCall'],
  transforms: true,
  create(workload, tally) {
    const layers = createLayers(workload, tally);
    const agent = new Agent({
      id: 'bench',
      name: 'bench',
      instructions,
      // Mastra declares its own copy of the model types.
      model: createModel(workload, tally) as unknown as MastraModelConfig,
      tools: { [countTool.name]: createTool(workload, tally) },
      inputProcessors: layers,
      outputProcessors: layers,
    });
    const options = { maxSteps: workload.steps + 1 };
    return {
      open: () => newSession(workload.history),
      async run(session: ModelMessage[]) {
        session.push({ role: 'user', content: question });
        if (workload.chunks === 0) {
          const { text } = await agent.generate(session, options);
          session.push({ role: 'assistant', content: text });
          return;
        }
        const stream = await agent.stream(session, options);
        for await (const text of stream.textStream) tally.delivered += text.length;
      },
      forget(session: ModelMessage[]) {
        session.length = 0;
      },
    };
  },
});

type Model = Extract<LanguageModel, { readonly specificationVersion: 'v3' }>;
type CallOptions = Parameters<Model['doGenerate']>[0];
type Generated = Awaited<ReturnType<Model['doGenerate']>>;
type StreamPart =
  Awaited<ReturnType<Model['doStream']>>['stream'] extends ReadableStream<infer P> ? P : never;

const usage: Generated['usage'] = {
  inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 5, text: 5, reasoning: 0 },
};

function createModel(workload: Workload, tally: Tally): Model {
  const begin = async (prompt: CallOptions['prompt']): Promise<number | undefined> => {
    tally.modelCalls += 1;
    if (workload.latency === 'turn') await eventLoopTurn();
    return nextCount(reached(prompt), workload);
  };
  return {
    specificationVersion: 'v3',
    provider: 'scripted',
    modelId: 'scripted',
    supportedUrls: {},
    async doGenerate({ prompt }) {
      const n = await begin(prompt);
      return n === undefined
        ? {
            content: [{ type: 'text', text: answer }],
            finishReason: { unified: 'stop', raw: 'stop' },
            usage,
            warnings: [],
          }
        : {
            content: [toolCall(n)],
            finishReason: { unified: 'tool-calls', raw: 'tool_calls' },
            usage,
            warnings: [],
          };
    },
    async doStream({ prompt }) {
      const n = await begin(prompt);
      return { stream: streamOf(n === undefined ? answerParts(workload.chunks) : callParts(n)) };
    },
  };
}

function toolCall(n: number) {
  return {
    type: 'tool-call' as const,
    toolCallId: `c${n}`,
    toolName: countTool.name,
    input: JSON.stringify({ n }),
  };
}

function* callParts(n: number): Generator<StreamPart> {
  yield { type: 'stream-start', warnings: [] };
  yield toolCall(n);
  yield { type: 'finish', finishReason: { unified: 'tool-calls', raw: 'tool_calls' }, usage };
}

function* answerParts(chunks: number): Generator<StreamPart> {
  yield { type: 'stream-start', warnings: [] };
  yield { type: 'text-start', id: '0' };
  if (chunks === 0) yield { type: 'text-delta', id: '0', delta: answer };
  for (let index = 0; index < chunks; index += 1) yield { type: 'text-delta', id: '0', delta: chunkText };
  yield { type: 'text-end', id: '0' };
  yield { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage };
}

function streamOf(parts: Generator<StreamPart>): ReadableStream<StreamPart> {
  return new ReadableStream({
    pull(controller) {
      const { done, value } = parts.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
  });
}

function reached(prompt: CallOptions['prompt']): number {
  const last = prompt.at(-1);
  if (last?.role !== 'tool') return 0;
  const part = last.content[0];
  if (part?.type !== 'tool-result') return 0;
  return part.output.type === 'text' || part.output.type === 'json' ? Number(part.output.value) : 0;
}

type Layer = Processor & Required<Pick<Processor, 'processInputStep' | 'processOutputStep'>>;

function createLayers({ layers, transform }: Workload, tally: Tally): Layer[] {
  return Array.from({ length: layers }, (_, index): Layer => ({
    id: `layer-${index}`,
    processInputStep() {
      tally.beforeModel += 1;
    },
    processOutputStep({ messages }) {
      tally.afterModel += 1;
      return messages;
    },
    ...(transform && {
      async processOutputStream({ part }) {
        if (part.type !== 'text-delta') return part;
        tally.transformed += 1;
        return { ...part };
      },
    }),
  }));
}

function createTool({ layers, latency }: Workload, tally: Tally) {
  let execute = async ({ n }: { n: number }): Promise<string> => {
    tally.toolCalls += 1;
    if (latency === 'turn') await eventLoopTurn();
    return String(n);
  };
  for (let layer = 0; layer < layers; layer += 1) {
    const inner = execute;
    execute = async (input) => {
      tally.wrapToolCall += 1;
      return await inner(input);
    };
  }
  return defineMastraTool({
    id: countTool.name,
    description: countTool.description,
    inputSchema: z.object({ n: z.number() }),
    execute,
  });
}

function newSession(history: number): ModelMessage[] {
  return Array.from({ length: history }, (_, index): ModelMessage => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: historyText(index),
  }));
}
