import { isShallotError, type RunResult } from '@shallot/core';

import type { CreatePlayer } from './player.ts';
import { piecesOf, type Question } from './transcript.ts';

const sessionId = 'a';

/** Plays with the agent itself. All other clients are compared with this one. */
export const playAgent: CreatePlayer = async ({ agentFor }) => {
  const agent = await agentFor({
    send: async (text) => void (await agent.send(sessionId, text)),
    stop: async () => void (await agent.stop(sessionId)),
    shown: async () => undefined,
  });
  let questions: Question[] = [];
  let before = 0;
  let last: RunResult | undefined;
  const take = async (running: Promise<RunResult>): Promise<number> => {
    last = await running.catch(resultOf);
    questions.push(...last.interrupts.map(({ kind, payload }) => ({ kind, payload })));
    return last.interrupts.length;
  };
  return {
    async begin({ input, output }) {
      before = (await agent.session(sessionId))?.messages.length ?? 0;
      questions = [];
      const content = { role: 'user', content: input } as const;
      return take(agent.run(content, { sessionId, ...(output === undefined ? {} : { output }) }));
    },
    answer(answers) {
      const open = last?.interrupts ?? [];
      return take(
        agent.resume(
          sessionId,
          Object.fromEntries(answers.map((each, index) => [open[index]?.id ?? '', each])),
        ),
      );
    },
    async read() {
      const messages = (await agent.session(sessionId))?.messages.slice(before) ?? [];
      const { outcome = 'failed', error } = last ?? {};
      const code = outcome === 'failed' && error !== undefined ? { code: error.code } : {};
      return { pieces: piecesOf(messages), questions, end: { outcome, ...code } };
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
};

/** Returns the result of a run that failed or was stopped, which is a part of the error. */
function resultOf(error: unknown): RunResult {
  if (isShallotError(error) && error.result !== undefined) return error.result;
  throw error;
}
