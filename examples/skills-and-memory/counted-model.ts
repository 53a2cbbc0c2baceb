import { textOf, type AssistantPart, type Message } from '@shallot/core';
import type { ChatModel, ModelRequest, ModelResponse } from '@shallot/core/model';
import { assertValidRequest } from '@shallot/testing';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';

/**
 * A model that counts the tokens of its requests with a real tokenizer. Like a provider it reports them as its usage,
 * unless told not to.
 */
export interface CountedModel extends ChatModel {
  readonly contextTokens: number;
  readonly calls: number;
  report(): CountReport;
}

interface CountReport {
  readonly calls: number;
  readonly summaries: number;
  /** The tokens of the largest request. */
  readonly maxTokens: number;
  readonly totalTokens: number;
  /** The number of messages that were sent at any time and are still in memory. */
  readonly held: number;
}

interface CountedModelOptions {
  readonly contextTokens: number;
  /** The number of files that the model writes in one run. */
  readonly writes: number;
  /** True if the model reports its usage. */
  readonly reports: boolean;
  /** Called with each request. */
  readonly check: (request: ModelRequest, tokens: number) => void;
}

/**
 * Creates the model. It reads the skill if the user says so, and writes large files; a request without tools it answers
 * with a summary. It rejects a request that is not valid.
 */
export function countedModel({ contextTokens, writes, reports, check }: CountedModelOptions): CountedModel {
  const counted = new WeakMap<Message, number>();
  const sent: WeakRef<Message>[] = [];
  let calls = 0;
  let written = 1;
  let summaries = 0;
  let maxTokens = 0;
  let totalTokens = 0;

  function count(message: Message): number {
    let tokens = counted.get(message);
    if (tokens === undefined) {
      tokens = 4 + message.content.reduce((sum, part) => sum + countTokens(partText(part)), 0);
      counted.set(message, tokens);
      sent.push(new WeakRef(message));
    }
    return tokens;
  }

  function nextPart(messages: readonly Message[]): AssistantPart {
    const last = messages.at(-1);
    const isAsked = last?.role === 'user';
    if (isAsked && textOf(last).includes('read the skill')) {
      return { type: 'tool-call', id: 'read', name: 'skill', input: { name: 'inspect-a-hive' } };
    }
    if (!isAsked && written % writes === 0) return { type: 'text', text: 'It is done.' };
    written += 1;
    const content = (samples[written % samples.length] ?? '').repeat(40);
    const input = { path: `/books/${written}.md`, content };
    return { type: 'tool-call', id: `write-${written}`, name: 'write_file', input };
  }

  return {
    id: 'offline/counted',
    limits: { contextTokens },
    contextTokens,
    get calls() {
      return calls;
    },
    report: () => ({
      calls,
      summaries,
      maxTokens,
      totalTokens,
      held: sent.filter((reference) => reference.deref() !== undefined).length,
    }),
    async generate(request): Promise<ModelResponse> {
      assertValidRequest(request);
      calls += 1;
      const { instructions, messages, tools } = request;
      const described = (tools ?? []).map(({ name, description, inputSchema }) =>
        JSON.stringify({ name, description, inputSchema }),
      );
      const beside = countTokens([instructions, ...described].join('\n'));
      const input = beside + messages.reduce((sum, message) => sum + count(message), 0);
      maxTokens = Math.max(maxTokens, input);
      totalTokens += input;
      check(request, input);
      if (tools === undefined) summaries += 1;
      const part = tools === undefined ? summary(summaries) : nextPart(messages);
      const output = countTokens(partText(part));
      return {
        message: { role: 'assistant', content: [part] },
        ...(reports ? { usage: { input, output, total: input + output } } : {}),
        finish: part.type === 'tool-call' ? 'tool-calls' : 'stop',
      };
    },
  };
}

function partText(part: AssistantPart): string {
  if (part.type === 'tool-call') return `${part.name}${JSON.stringify(part.input)}`;
  if (part.type === 'file') return part.data ?? part.url ?? '';
  return part.type === 'text' || part.type === 'reasoning' ? part.text : JSON.stringify(part);
}

function summary(number: number): AssistantPart {
  return { type: 'text', text: `Summary ${number}. ${'The books were written. '.repeat(40)}` };
}

/** Texts of about 4,000 characters whose token counts differ widely. */
const samples = [
  'The honey is harvested twice a year, in June and at the end of July, when the frames are sealed. ',
  '蜂蜜在六月和七月底收获两次，那时巢脾已经封盖。每一罐都要先数清楚再出售，账目写在本子里。'.repeat(2),
  'export const total = (jars: readonly Jar[]) => jars.reduce((sum, { grams }) => sum + grams, 0);\n',
  '{"id":"9f86d081884c7d65","jar":{"grams":500,"price":9.0},"sold":null,"to":["mia","tom"]}\n',
  'ミツバチの巣箱は物置の北にあります。鍵はトムが持っています。冬の間は箱を開けません。'.repeat(2),
];
