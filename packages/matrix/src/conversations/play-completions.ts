import { createClient } from '@shallot/client';
import type { JsonValue } from '@shallot/core';
import OpenAI, { APIError } from 'openai';

import type { CreatePlayer, ReadTurn } from './player.ts';
import { serveSetting } from './serve-setting.ts';
import { ShownTexts } from './shown-texts.ts';
import type { Content, Piece } from './transcript.ts';

type Sent = OpenAI.ChatCompletionMessageParam;
type SentPart = OpenAI.ChatCompletionContentPart;

/** Plays with streamed chat completions of the `openai` client, which keeps the conversation itself. */
export const playCompletions: CreatePlayer = async (setting) => {
  const texts = new ShownTexts();
  /** Finds the run by its status, because a completion has its own session, and its client does not learn the id. */
  const running = async (): Promise<string> => {
    for await (const { id } of client.sessions({ status: 'running' })) return id;
    throw new Error('Nothing runs.');
  };
  const served = await serveSetting(setting, {
    send: async (text) => void (await client.send(await running(), text)),
    stop: async () => void (await client.stop(await running())),
    shown: texts.shown,
  });
  const client = createClient({ url: served.url });
  const openai = new OpenAI({ apiKey: 'none', baseURL: `${served.url}/v1`, maxRetries: 0 });
  const messages: Sent[] = [];
  let turn: ReadTurn | undefined;
  return {
    async begin({ input, output }) {
      const content: Content[] = typeof input === 'string' ? [{ type: 'text', text: input }] : [...input];
      messages.push({ role: 'user', content: typeof input === 'string' ? input : content.map(sentPart) });
      const schema = output === undefined ? {} : { response_format: formatOf(output) };
      const user: Piece = { type: 'user', content };
      try {
        const text = await openai.chat.completions
          .stream({ model: 'shop', messages, ...schema })
          .on('content', (_, snapshot) => texts.note(snapshot))
          .finalContent();
        messages.push({ role: 'assistant', content: text });
        turn = {
          pieces: [user, { type: 'text', text: text ?? '' }],
          questions: [],
          end: { outcome: 'completed' },
        };
      } catch (error) {
        if (!(error instanceof APIError) || typeof error.code !== 'string') throw error;
        turn = { pieces: [user], questions: [], end: { outcome: 'failed', code: error.code } };
      }
      // The client cannot answer questions.
      return 0;
    },
    answer: () => Promise.reject(new Error('A chat completion asks nothing.')),
    read() {
      if (turn === undefined) throw new Error('Nothing was sent.');
      return turn;
    },
    [Symbol.asyncDispose]: () => served[Symbol.asyncDispose](),
  };
};

function sentPart(part: Content): SentPart {
  if (part.type === 'text') return part;
  const { mediaType, data = '', url = `data:${mediaType};base64,${data}` } = part;
  return { type: 'image_url', image_url: { url } };
}

function formatOf(schema: object): OpenAI.ResponseFormatJSONSchema {
  return {
    type: 'json_schema',
    json_schema: { name: 'answer', schema: schema as Record<string, JsonValue> },
  };
}
