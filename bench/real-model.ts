// Runs in its own process: `node real-model.ts`. Measures what the adapter adds to calls of a provider.
import type {
  LanguageModelV4,
  LanguageModelV4GenerateResult,
  LanguageModelV4Prompt,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider';
import type { Message } from '@shallot/core';
import type { ModelContext, ModelRequest } from '@shallot/core/model';
import { aiSdkModel } from '@shallot/model-ai-sdk';

import { cpuMicros, median } from './measures/samples.ts';
import { takeTurns } from './measures/turns.ts';

const chunks = 20_000;
const samples = 60;
/** The first turns are not counted, because their code is still being compiled. */
const warmup = 20;

const usage = {
  inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 5, text: 5, reasoning: 0 },
};
const finishReason = { unified: 'stop', raw: 'stop' } as const;
const answer: LanguageModelV4GenerateResult = {
  content: [{ type: 'text', text: 'Hello.' }],
  usage,
  finishReason,
  warnings: [],
};
const parts: readonly LanguageModelV4StreamPart[] = [
  { type: 'stream-start', warnings: [] },
  { type: 'text-start', id: '0' },
  ...Array.from({ length: chunks }, () => ({ type: 'text-delta', id: '0', delta: 'word ' }) as const),
  { type: 'text-end', id: '0' },
  { type: 'finish', usage, finishReason },
];

/** Answers at once, so that only the adapter is measured. */
const provider: LanguageModelV4 = {
  specificationVersion: 'v4',
  provider: 'bench.chat',
  modelId: 'bench',
  supportedUrls: {},
  doGenerate: () => Promise.resolve(answer),
  doStream: () => Promise.resolve({ stream: streamOf(parts) }),
};
const model = aiSdkModel(provider);
const { signal } = new AbortController();

const figures = {
  ...(await timeChunks()),
  shortUs: await timeCalls(10),
  longUs: await timeCalls(1000),
};
process.stdout.write(`\n${JSON.stringify(figures)}\n`);

async function timeChunks(): Promise<{ chunkUs: number; directUs: number }> {
  const request = requestWith([message(0)]);
  let seen = 0;
  const call: ModelContext = { signal, wantsChunks: true, emit: () => void (seen += 1) };
  const { addedUs, directUs } = await compare(
    async () => {
      const { stream } = await provider.doStream({ prompt: [] });
      const reader = stream.getReader();
      for (;;) {
        const { done } = await reader.read();
        if (done) return;
      }
    },
    async () => void (await model.generate(request, call)),
    chunks,
  );
  if (seen < chunks * samples) throw new Error(`the adapter passed on ${seen} chunks`);
  return { chunkUs: addedUs, directUs };
}

/**
 * Measures what the adapter adds to a call of a growing session: each time, all but the last two of `count` messages
 * were already in the call before.
 */
async function timeCalls(count: number): Promise<number> {
  const history = Array.from({ length: count }, (_, index) => message(index));
  const call: ModelContext = { signal, wantsChunks: false, emit: () => {} };
  const perSample = Math.ceil(20_000 / count);
  let next = count;
  const prompts = [promptOf(history)];
  const { addedUs } = await compare(
    async () => {
      for (let done = 0; done < perSample; done += 1) {
        for (const prompt of prompts) await provider.doGenerate({ prompt, abortSignal: signal });
      }
    },
    async () => {
      for (let done = 0; done < perSample; done += 1) {
        const messages = [...history.slice(2), message(next), message(next + 1)];
        next += 2;
        await model.generate(requestWith(messages), call);
      }
    },
    perSample,
  );
  return addedUs;
}

/**
 * Measures the CPU microseconds per item of the direct way, and what the adapted way adds; each call of either handles
 * `count` items.
 */
async function compare(
  directly: () => Promise<void>,
  adapted: () => Promise<void>,
  count: number,
): Promise<{ addedUs: number; directUs: number }> {
  const turns = await takeTurns([() => timeOf(directly), () => timeOf(adapted)], { warmup, samples });
  return {
    addedUs: median(turns.map(([before, after]) => (after - before) / count)),
    directUs: median(turns.map(([before]) => before / count)),
  };
}

async function timeOf(work: () => Promise<void>): Promise<number> {
  const started = process.cpuUsage();
  await work();
  return cpuMicros(started);
}

function requestWith(messages: readonly Message[]): ModelRequest {
  return Object.freeze({
    model,
    instructions: 'Be brief.',
    messages: Object.freeze(messages),
    settings: Object.freeze({}),
  });
}

function message(index: number): Message {
  const content = Object.freeze([
    Object.freeze({ type: 'text' as const, text: `Message ${index} of a conversation.` }),
  ]);
  return Object.freeze({ id: `m${index}`, role: index % 2 === 0 ? 'user' : 'assistant', content });
}

function promptOf(messages: readonly Message[]): LanguageModelV4Prompt {
  return messages.map(({ role, content }) => ({
    role: role === 'user' ? ('user' as const) : ('assistant' as const),
    content: content.flatMap((part) =>
      part.type === 'text' ? [{ type: 'text' as const, text: part.text }] : [],
    ),
  }));
}

function streamOf(list: readonly LanguageModelV4StreamPart[]): ReadableStream<LanguageModelV4StreamPart> {
  let next = 0;
  return new ReadableStream({
    pull(controller) {
      const part = list[next];
      next += 1;
      if (part === undefined) controller.close();
      else controller.enqueue(part);
    },
  });
}
