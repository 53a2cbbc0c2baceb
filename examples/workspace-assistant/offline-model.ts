import { setTimeout as delay } from 'node:timers/promises';

import { textOf, type AssistantPart, type JsonValue, type ToolMessage } from '@shallot/core';
import type { ChatModel, ModelContext, ModelRequest, ModelResponse } from '@shallot/core/model';

/** The pause after each word, so that one can see that the answer is streamed. */
const wordDelayMs = Number(process.env['OFFLINE_WORD_DELAY_MS'] ?? 12);

/**
 * A stand-in for a language model that can do one piece of work: finish the newsletter. Each step follows from the
 * request alone, so another process can continue where one stopped.
 */
const offlineModel: ChatModel = {
  id: 'offline/newsletter',
  async generate(request, call) {
    const parts = nextParts(request);
    await stream(parts, call);
    const finish = parts.some(({ type }) => type === 'tool-call') ? 'tool-calls' : 'stop';
    return { message: { role: 'assistant', content: parts }, finish } satisfies ModelResponse;
  },
};

export default offlineModel;

function nextParts({ messages }: ModelRequest): AssistantPart[] {
  const lastUser = messages.findLastIndex(({ role }) => role === 'user');
  const task = messages
    .slice(lastUser, lastUser + 1)
    .map(textOf)
    .join('');
  if (!/newsletter/i.test(task)) {
    return [text('I am a stand-in, and can only finish the newsletter. Set SHALLOT_MODEL for a real model.')];
  }
  const turn = messages.slice(lastUser + 1);
  const results = turn.filter((message) => message.role === 'tool');
  const step = turn.filter(({ role }) => role === 'assistant').length;
  return steps[step]?.(results) ?? [text(report(results))];
}

type Step = (results: readonly ToolMessage[]) => AssistantPart[];

const steps: readonly Step[] = [
  () => [
    text('First I read how it is done, the draft and the facts.'),
    toolCall('skill', { name: 'finish-a-newsletter' }),
    toolCall('read_file', { path: '/newsletter/draft.md' }),
    toolCall('read_file', { path: '/newsletter/facts.md' }),
  ],
  () => [
    text('The facts do not say where the honey is sold.'),
    toolCall('ask_user', {
      questions: [{ question: 'Where is the honey sold?', choices: ['the Saturday market', 'the bookshop'] }],
    }),
  ],
  (results) => {
    const [a = 0, b = 0] = harvests(results);
    return [toolCall('everything_get-sum', { a, b }), toolCall('shell', { command: 'ls newsletter' })];
  },
  (results) => [
    text('Now I write it down.'),
    toolCall('edit_file', {
      path: '/newsletter/draft.md',
      old_string: 'TODO: the harvest.\n\nTODO: where the honey is sold.',
      new_string: `The harvest is ${total(results)} kilograms.\n\nThe honey is sold at ${place(results)}.`,
    }),
    toolCall('edit_memory', { path: '/AGENTS.md', new_text: `- The honey is sold at ${place(results)}.` }),
    toolCall('delete_file', { path: '/newsletter/facts.md' }),
  ],
  () => [toolCall('shell', { command: 'rm newsletter/facts.md' })],
];

function harvests(results: readonly ToolMessage[]): number[] {
  const read = results.filter(({ name }) => name === 'read_file').map(textOf);
  return [...read.join('\n').matchAll(/harvest was (\d+) kilograms/g)].map(([, weight]) => Number(weight));
}

/** Returns the last number in the server's answer about the sum. */
function total(results: readonly ToolMessage[]): string {
  return said(results, 'everything_get-sum').match(/\d+/g)?.at(-1) ?? '?';
}

function place(results: readonly ToolMessage[]): string {
  return /the (?:Saturday market|bookshop)$/m.exec(said(results, 'ask_user'))?.[0] ?? 'a place still unknown';
}

/** Returns the results of commands and of calls that change something. */
function report(results: readonly ToolMessage[]): string {
  const changes = results.filter(({ name }) => /^(?:edit_|delete_|shell$)/.test(name));
  return `That is what I did:\n${changes.map((result) => `- ${result.name}: ${firstLine(result)}`).join('\n')}`;
}

function firstLine(result: ToolMessage): string {
  return textOf(result).split('\n')[0] ?? '';
}

function said(results: readonly ToolMessage[], tool: string): string {
  return results
    .filter(({ name }) => name === tool)
    .map(textOf)
    .join('\n');
}

function text(text: string): AssistantPart {
  return { type: 'text', text };
}

function toolCall(name: string, input: JsonValue): AssistantPart {
  // The core replaces an id that the session already has.
  return { type: 'tool-call', id: name, name, input };
}

async function stream(
  parts: readonly AssistantPart[],
  { emit, signal, wantsChunks }: ModelContext,
): Promise<void> {
  if (!wantsChunks) return;
  for (const [index, part] of parts.entries()) {
    if (part.type === 'tool-call') {
      const { id, name, input } = part;
      await emit({ type: 'tool-call-delta', index, id, name, text: JSON.stringify(input) });
    } else if (part.type === 'text') {
      for (const word of part.text.match(/\S+\s*/g) ?? []) {
        await emit({ type: 'text-delta', index, text: word });
        await delay(wordDelayMs, undefined, { signal });
      }
    }
    await emit({ type: 'part-end', index });
  }
}
