import { createClient, type RunStream } from '@shallot/client';

import type { CreatePlayer } from './player.ts';
import { serveSetting } from './serve-setting.ts';
import { ShownTexts } from './shown-texts.ts';
import { piecesOf, type Question } from './transcript.ts';

const sessionId = 'a';

/** Plays over the server's own API, with `@shallot/client`. */
export const playHttp: CreatePlayer = async (setting) => {
  const texts = new ShownTexts();
  const served = await serveSetting(setting, {
    send: async (text) => void (await client.send(sessionId, text)),
    stop: async () => void (await client.stop(sessionId)),
    shown: texts.shown,
  });
  const client = createClient({ url: served.url });
  let questions: Question[] = [];
  let stream: RunStream | undefined;
  const take = async (next: RunStream | undefined): Promise<number> => {
    if (next === undefined) throw new Error('The session has no run.');
    stream = next;
    for await (const _ of next) texts.note(next.state.text);
    const { interrupts } = next.state;
    questions.push(...interrupts.map(({ kind, payload }) => ({ kind, payload })));
    return interrupts.length;
  };
  return {
    async begin({ input, output }) {
      questions = [];
      return take(
        await client.stream(input, { sessionId, ...(output === undefined ? {} : { output: { ...output } }) }),
      );
    },
    async answer(answers) {
      const open = stream?.state.interrupts ?? [];
      for (const [index, answer] of answers.entries())
        await client.answer(sessionId, open[index]?.id ?? '', answer);
      return take(await client.follow(sessionId));
    },
    read() {
      const { messages = [], end } = stream?.state ?? {};
      const code = end?.failure === undefined ? {} : { code: end.failure.code };
      return { pieces: piecesOf(messages), questions, end: { outcome: end?.outcome ?? 'none', ...code } };
    },
    [Symbol.asyncDispose]: () => served[Symbol.asyncDispose](),
  };
};
