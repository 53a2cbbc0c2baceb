import {
  createAgent,
  defineTool,
  textOf,
  type AgentEvent,
  type AssistantPart,
  type JsonObject,
  type Message,
} from '@shallot/core';
import { memoryFiles } from '@shallot/core/files';
import { modelError, type ChatModel, type ModelRequest } from '@shallot/core/model';
import { estimateTokens, textPart, toolCallsOf } from '@shallot/core/plugin';
import type { Size } from '@shallot/core/plugin';
import { assertValidRequest } from '@shallot/testing';

import { parseHistory } from '../src/history/history-format.ts';
import type { SummarizationOptions } from '../src/settings/options.ts';
import { summarization } from '../src/summarization.ts';

/** The outcome of a random conversation. */
export interface Outcome {
  readonly seed: number;
  readonly summaries: number;
  readonly cleared: number;
  /** All faults that were found. */
  readonly faults: readonly string[];
}

/**
 * Plays a conversation that depends only on the seed, with parallel calls, reasoning, pictures, failing tools, and
 * random options.
 */
export async function randomConversation(seed: number): Promise<Outcome> {
  const dice = diceOf(seed);
  const talk: Talk = { faults: [], ids: [], lastSaid: '' };
  const files = memoryFiles();
  const agent = await createAgent({
    model: randomModel(seed, dice, talk),
    tools,
    files,
    log: 'silent',
    maxSteps: 12,
    plugins: [summarization(randomOptions(dice))],
  });
  const events: AgentEvent[] = [];
  try {
    for (let turn = 0; turn < 12; turn += 1) {
      talk.lastSaid = `Question ${turn}. ${'word '.repeat(dice.below(100))}`;
      const stream = agent.stream(talk.lastSaid, { sessionId: 's' });
      for await (const event of stream) {
        events.push(event);
        if (event.type === 'message' || event.type === 'tool-end') talk.ids.push(event.message.id);
      }
      await stream.result;
    }
  } catch (error) {
    talk.faults.push(`the run failed: ${String(error)}`);
  }
  const messages = (await agent.session('s'))?.messages ?? [];
  await agent.close();
  const path = '/conversation_history/s.md';
  const text = (await files.stat(path)) === undefined ? '' : (await files.readText(path)).text;
  const count = (name: string): number =>
    events.filter((event) => event.type === 'plugin' && event.name === name).length;
  const faults = [...talk.faults, ...faultsOf(text, messages, talk.ids)];
  return { seed, summaries: count('summarized'), cleared: count('cleared'), faults };
}

/** The state of a conversation in progress. */
interface Talk {
  readonly faults: string[];
  /** The ids of all messages so far. */
  readonly ids: string[];
  lastSaid: string;
}

/** Returns the faults of a file and the session that it belongs to. */
function faultsOf(text: string, messages: readonly Message[], ids: readonly string[]): string[] {
  const { sections, end } = parseHistory(text);
  const written = sections.flatMap((section) => section.messages.map(({ id }) => id));
  const everywhere = new Set([...written, ...messages.map(({ id }) => id)]);
  const missing = ids.filter((id) => !everywhere.has(id));
  const calls = messages.flatMap((message) => toolCallsOf(message)).length;
  const results = messages.filter(({ role }) => role === 'tool').length;
  const summaries = messages.filter(({ source }) => source === 'summarization').length;
  return [
    ...(end === text.length ? [] : ['the file cannot be read to its end']),
    ...(new Set(written).size === written.length ? [] : ['a message is in the file twice']),
    ...(missing.length === 0 ? [] : [`${missing.length} messages are lost`]),
    ...(calls === results ? [] : [`${calls} calls, ${results} results`]),
    ...(summaries < 2 ? [] : [`${summaries} summaries`]),
  ];
}

function randomModel(seed: number, dice: Dice, talk: Talk): ChatModel {
  const contextTokens = 2000 + dice.below(8000);
  let calls = 0;
  const ask = (): AssistantPart[] => {
    const reasoning = {
      type: 'reasoning',
      text: 'Hm.',
      metadata: { anthropic: { signature: 'x' } },
    } as const;
    const parts: AssistantPart[] = dice.isOften(0.3) ? [reasoning] : [];
    for (let left = 1 + dice.below(4); left > 0; left -= 1) {
      calls += 1;
      parts.push({ type: 'tool-call', id: `c${calls}`, ...randomCall(dice) });
    }
    return parts;
  };
  return {
    id: 'test/random',
    ...(dice.isOften(0.8) ? { limits: { contextTokens } } : {}),
    async generate(request) {
      const input = estimateTokens(
        request.instructions + request.messages.map(({ content }) => JSON.stringify(content)).join('\n'),
      );
      if (input > contextTokens) throw modelError('MODEL_CONTEXT_OVERFLOW', { message: `${input}` });
      const isForSummary = request.messages.length === 1 && request.messages[0]?.source === 'summarization';
      if (!isForSummary) talk.faults.push(...faultsOfRequest(request, talk));
      const text = isForSummary ? 'What came before. ' : `Fine. ${'word '.repeat(dice.below(200))}`;
      const content = isForSummary || dice.isOften(0.4) ? [textPart(text)] : ask();
      return {
        message: { role: 'assistant', content },
        finish: content.some(({ type }) => type === 'tool-call') ? 'tool-calls' : 'stop',
        ...(seed % 3 === 0 ? {} : { usage: { input, output: 20, total: input + 20 } }),
      };
    },
  };
}

function randomCall(dice: Dice): { readonly name: string; readonly input: JsonObject } {
  if (dice.isOften(0.2)) {
    return { name: 'write_file', input: { path: '/a', content: 'text '.repeat(dice.below(1500)) } };
  }
  const name = dice.isOften(0.1) ? 'picture' : 'read';
  return { name, input: { length: dice.below(dice.isOften(0.1) ? 40_000 : 3000) } };
}

function faultsOfRequest(request: ModelRequest, { lastSaid }: Talk): string[] {
  const isSaid = request.messages.some((message) => textOf(message) === lastSaid);
  const missing = isSaid ? [] : [`the user's last message is missing: ${lastSaid.slice(0, 40)}`];
  try {
    assertValidRequest(request);
    return missing;
  } catch (error) {
    return [...missing, String(error)];
  }
}

const input = { type: 'object' } as const;
const tools = [
  defineTool({
    name: 'read',
    description: 'Reads.',
    input,
    effect: 'read',
    execute({ length }) {
      if (Number(length) % 7 === 0) throw new Error('cannot be read');
      return 'line of text\n'.repeat(Number(length) / 13);
    },
  }),
  defineTool({
    name: 'write_file',
    description: 'Writes.',
    input,
    effect: 'idempotent',
    execute: () => 'ok',
  }),
  defineTool({
    name: 'picture',
    description: 'Shows.',
    input,
    effect: 'read',
    execute: () => ({ content: [{ type: 'file', mediaType: 'image/png', data: 'QUJD' }] }),
  }),
];

function randomOptions({ below, isOften }: Dice): SummarizationOptions {
  const sizes: readonly Size[] = [{ messages: 8 + below(20) }, { tokens: 1000 + below(3000) }];
  return {
    ...(isOften(0.4) ? { trigger: sizes.slice(0, 1 + below(2)) } : {}),
    ...(isOften(0.3) ? { keep: isOften(0.5) ? { messages: 1 + below(5) } : { tokens: 1 + below(900) } } : {}),
    ...(isOften(0.3) ? { truncateArguments: null } : {}),
  };
}

interface Dice {
  /** Returns a random integer from 0 to `limit`, exclusive. */
  readonly below: (limit: number) => number;
  /** Returns true with this probability. */
  readonly isOften: (share: number) => boolean;
}

/** Returns random numbers that depend only on the seed. */
function diceOf(seed: number): Dice {
  let state = seed;
  const random = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  return { below: (limit) => Math.floor(random() * limit), isOften: (share) => random() < share };
}
