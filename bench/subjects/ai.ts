import {
  generateText,
  isStepCount,
  type LanguageModel,
  type LanguageModelMiddleware,
  type ModelMessage,
  streamText,
  tool,
  wrapLanguageModel,
} from 'ai';
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

/** AI SDK: `generateText` and `streamText`, layers as model middleware and as wrapped tools. */
export const subject = defineSubject({
  places: ['beforeModel', 'wrapModelCall', 'wrapToolCall'],
  transforms: true,
  create(workload, tally) {
    const model =
      workload.layers === 0
        ? createModel(workload, tally)
        : wrapLanguageModel({
            model: createModel(workload, tally),
            middleware: createLayers(workload, tally),
          });
    const tools = { [countTool.name]: createTool(workload, tally) };
    const stopWhen = isStepCount(workload.steps + 1);
    return {
      open: () => newSession(workload.history),
      async run(session: ModelMessage[]) {
        session.push({ role: 'user', content: question });
        const settings = { model, tools, instructions, messages: session, stopWhen };
        if (workload.chunks === 0) {
          const result = await generateText(settings);
          session.push(...result.responseMessages);
          return;
        }
        const result = streamText(settings);
        for await (const text of result.textStream) tally.delivered += text.length;
        session.push(...(await result.responseMessages));
      },
      forget(session: ModelMessage[]) {
        session.length = 0;
      },
    };
  },
});

type Model = Extract<LanguageModel, { readonly specificationVersion: 'v4' }>;
type CallOptions = Parameters<Model['doGenerate']>[0];
type Generated = Awaited<ReturnType<Model['doGenerate']>>;
type StreamPart =
  Awaited<ReturnType<Model['doStream']>>['stream'] extends ReadableStream<infer P> ? P : never;

const usage: Generated['usage'] = {
  inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 5, text: 5, reasoning: 0 },
};

function createModel(workload: Workload, tally: Tally): Model {
  return {
    specificationVersion: 'v4',
    provider: 'scripted',
    modelId: 'scripted',
    supportedUrls: {},
    async doGenerate({ prompt }) {
      tally.modelCalls += 1;
      if (workload.latency === 'turn') await eventLoopTurn();
      const n = nextCount(reached(prompt), workload);
      return n === undefined
        ? {
            content: [{ type: 'text', text: answer }],
            finishReason: { unified: 'stop', raw: 'stop' },
            usage,
            warnings: [],
          }
        : {
            content: [
              {
                type: 'tool-call',
                toolCallId: `c${n}`,
                toolName: countTool.name,
                input: JSON.stringify({ n }),
              },
            ],
            finishReason: { unified: 'tool-calls', raw: 'tool_calls' },
            usage,
            warnings: [],
          };
    },
    doStream() {
      tally.modelCalls += 1;
      return Promise.resolve({ stream: streamOf(answerParts(workload.chunks)) });
    },
  };
}

function* answerParts(chunks: number): Generator<StreamPart> {
  yield { type: 'stream-start', warnings: [] };
  yield { type: 'text-start', id: '0' };
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
  return part?.type === 'tool-result' && part.output.type === 'text' ? Number(part.output.value) : 0;
}

function createLayers({ layers, transform }: Workload, tally: Tally): LanguageModelMiddleware[] {
  return Array.from({ length: layers }, () => ({
    async transformParams({ params }) {
      tally.beforeModel += 1;
      return params;
    },
    async wrapGenerate({ doGenerate }) {
      tally.wrapModelCall += 1;
      return await doGenerate();
    },
    async wrapStream({ doStream }) {
      tally.wrapModelCall += 1;
      const result = await doStream();
      if (!transform) return result;
      return { ...result, stream: result.stream.pipeThrough(replacing(tally)) };
    },
  }));
}

function replacing(tally: Tally): TransformStream<StreamPart, StreamPart> {
  return new TransformStream({
    transform(part, controller) {
      if (part.type !== 'text-delta') {
        controller.enqueue(part);
        return;
      }
      tally.transformed += 1;
      controller.enqueue({ type: part.type, id: part.id, delta: part.delta });
    },
  });
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
  return tool({ description: countTool.description, inputSchema: z.object({ n: z.number() }), execute });
}

function newSession(history: number): ModelMessage[] {
  return Array.from({ length: history }, (_, index): ModelMessage => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: historyText(index),
  }));
}
