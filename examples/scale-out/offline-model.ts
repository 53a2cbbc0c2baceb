import { setTimeout as delay } from 'node:timers/promises';

import type { AssistantPart, JsonObject } from '@shallot/core';
import type { ChatModel, ModelContext } from '@shallot/core/model';

/** The pause after each word, so that followers see the answer grow. */
const wordDelayMs = Number(process.env['OFFLINE_WORD_DELAY_MS'] ?? 12);

/**
 * A stand-in for a language model that takes the same steps for each order. Each step follows from the conversation
 * alone, so another worker can continue where one was killed.
 */
const offlineModel: ChatModel = {
  id: 'offline/shop',
  async generate({ messages }, call) {
    const lastUser = messages.findLastIndex(({ role }) => role === 'user');
    const step = messages.slice(lastUser).filter(({ role }) => role === 'assistant').length;
    const content = steps[step] ?? [text('Your order is on its way.')];
    await stream(content, call);
    const finish = content.some(({ type }) => type === 'tool-call') ? 'tool-calls' : 'stop';
    return { message: { role: 'assistant', content }, finish };
  },
};

export default offlineModel;

const steps: readonly (readonly AssistantPart[])[] = [
  [
    text('First I reserve what you ordered.'),
    toolCall('reserve', { item: 'honey', count: 2 }),
    toolCall('reserve', { item: 'candles', count: 4 }),
  ],
  [text('All is in stock, so I charge your card.'), toolCall('charge', { euros: 34 })],
  [text('The payment arrived.'), toolCall('ship', { items: ['honey', 'candles'] })],
];

function text(words: string): AssistantPart {
  return { type: 'text', text: words };
}

function toolCall(name: string, input: JsonObject): AssistantPart {
  // The core replaces an id that the session already has.
  return { type: 'tool-call', id: name, name, input };
}

async function stream(
  parts: readonly AssistantPart[],
  { emit, signal, wantsChunks }: ModelContext,
): Promise<void> {
  for (const [index, part] of parts.entries()) {
    if (part.type !== 'text') continue;
    for (const word of part.text.match(/\S+\s*/g) ?? []) {
      if (wantsChunks) await emit({ type: 'text-delta', index, text: word });
      await delay(wordDelayMs, undefined, { signal });
    }
  }
}
