import type { JsonObject } from '@shallot/core';
import type { ChatModel, ModelContext, ModelRequest, ModelResponse, Usage } from '@shallot/core/model';
import { describe, expect, it } from 'vitest';

import { scriptedModel, type ScriptedStep } from './scripted-model.ts';
import { modelChecks, testModel, type CreateModel, type ModelScenario } from './test-model.ts';

const scenarios: Record<ModelScenario, ScriptedStep> = {
  text: {
    reasoning: 'Easy.',
    text: 'one two three',
    usage: { input: 10, output: 5, total: 15, reasoning: 2 },
  },
  'tool-call': { toolCalls: [{ name: 'add', args: { a: 2, b: 3 } }] },
  stall: { chunks: ['one '], stall: true },
  broken: { chunks: ['one '], end: 'broken' },
};

const good: CreateModel = (scenario) => scriptedModel([scenarios[scenario]]);

await testModel(good);

type Generate = (request: ModelRequest, call: ModelContext, model: ChatModel) => Promise<ModelResponse>;

/** The good model with one fault. */
function faulty(generate: Generate): CreateModel {
  return async (scenario) => {
    const model = await good(scenario);
    return { id: model.id, generate: (request, call) => generate(request, call, model) };
  };
}

async function failuresOf(create: CreateModel): Promise<string[]> {
  const failures: string[] = [];
  for (const check of modelChecks(create)) {
    await check
      .run()
      .catch((error: unknown) => failures.push(`${check.name}: ${String(error).split('\n')[0]}`));
  }
  return failures;
}

describe('the conformance suite of chat models', () => {
  it('passes a model that works', async () => {
    expect(await failuresOf(faulty((request, call, model) => model.generate(request, call)))).toEqual([]);
  });

  it.each([
    [
      'that has no id',
      () => ({ id: '', generate: scriptedModel([]).generate }),
      'says what it is called and how much it takes',
    ],
    [
      'that streams unasked',
      faulty((request, call, model) => model.generate(request, { ...call, wantsChunks: true })),
      'answers in one piece when no chunks are wanted',
    ],
    [
      'that never streams',
      faulty((request, call, model) => model.generate(request, { ...call, wantsChunks: false })),
      'streams what it returns',
    ],
    [
      'that answers otherwise when it streams',
      faulty(async (request, call, model) => {
        const response = await model.generate(request, call);
        if (call.wantsChunks) return response;
        return { ...response, message: { role: 'assistant', content: [{ type: 'text', text: 'four' }] } };
      }),
      'streams what it returns',
    ],
    [
      'that never ends a part',
      faulty((request, call, model) =>
        model.generate(request, {
          ...call,
          emit: (chunk) => (chunk.type === 'part-end' ? undefined : call.emit(chunk)),
        }),
      ),
      'streams what it returns',
    ],
    [
      'that gives arguments as text',
      faulty(async (request, call, model) => {
        const response = await model.generate(request, call);
        const content = response.message.content.map((part) =>
          part.type === 'tool-call' ? { ...part, input: JSON.stringify(part.input) } : part,
        );
        return { ...response, message: { role: 'assistant', content } };
      }),
      'calls tools, in both modes',
    ],
    [
      'that takes no files',
      faulty(async (request, call, model) => {
        if (JSON.stringify(request.messages).includes('"file"')) throw new Error('no files');
        return model.generate(request, call);
      }),
      'takes a history with reasoning, tool calls, results and files',
    ],
    [
      'that does not wait for its consumer',
      faulty((request, call, model) =>
        model.generate(request, { ...call, emit: (chunk) => void call.emit(chunk) }),
      ),
      'waits for the promise that emit returns',
    ],
    [
      'that changes the request',
      faulty((request, call, model) => {
        Object.assign(request.settings, { temperature: 1 });
        return model.generate(request, call);
      }),
      'leaves a frozen request as it is',
    ],
    [
      'that ignores an abort',
      faulty((request, call, model) =>
        model.generate(request, { ...call, signal: new AbortController().signal }),
      ),
      'rejects soon after an abort, in both modes, and emits nothing more',
    ],
    [
      'that returns half an answer',
      faulty(async (request, call, model) => {
        try {
          return await model.generate(request, call);
        } catch {
          return {
            message: { role: 'assistant', content: [{ type: 'text', text: 'one ' }] },
            finish: 'stop',
          };
        }
      }),
      'rejects an answer that breaks off with an error of models, in both modes',
    ],
    [
      'that throws what its provider throws',
      faulty((request, call, model) =>
        model.generate(request, call).catch((error: unknown) => {
          throw new TypeError('terminated', { cause: error });
        }),
      ),
      'rejects an answer that breaks off with an error of models, in both modes',
    ],
    [
      'that goes on emitting after it has returned',
      faulty(async (request, call, model) => {
        const response = await model.generate(request, call);
        setTimeout(() => void call.emit({ type: 'text-delta', index: 0, text: 'late' }), 5);
        return response;
      }),
      'waits for the promise that emit returns',
    ],
    [
      'whose metadata is not JSON',
      faulty(async (request, call, model) => {
        const metadata: object = { at: new Date(0) };
        return { ...(await model.generate(request, call)), metadata: metadata as JsonObject };
      }),
      'answers in one piece when no chunks are wanted',
    ],
    ...[
      { input: 5, cacheRead: 10, output: 1, total: 6 },
      { input: 5, output: 1, reasoning: 2, total: 6 },
      { input: 5, output: 1, total: 5 },
      { input: 5, output: 1 },
    ].map(
      (usage) =>
        [
          `whose usage is ${JSON.stringify(usage)}`,
          faulty(async (request, call, model) => ({
            ...(await model.generate(request, call)),
            usage: usage as Usage,
          })),
          'answers in one piece when no chunks are wanted',
        ] satisfies [string, CreateModel, string],
    ),
  ] satisfies [string, CreateModel, string][])('fails a model %s', async (_, create, check) => {
    const failures = await failuresOf(create);
    expect(failures.map((failure) => failure.split(':')[0])).toContain(check);
  });
});
