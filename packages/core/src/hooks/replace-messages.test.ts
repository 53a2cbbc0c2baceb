import { expect, it } from 'vitest';

import { scriptedModel, type ScriptedStep } from '../../../testing/src/scripted-model.ts';
import { definePlugin } from '../contract/define-plugin.ts';
import { textOf } from '../contract/messages.ts';
import { modelError } from '../contract/model-error.ts';
import type { SessionChange, Store } from '../contract/store.ts';
import { createAgent } from '../create-agent.ts';
import { memoryStore } from '../sessions/stores/memory-store.ts';

const overflow = { error: modelError('MODEL_CONTEXT_OVERFLOW', { message: 'too long' }) };

/** A second run whose request is too long at first; gives what was committed in it, and what the session holds then. */
async function recover(
  ...steps: readonly ScriptedStep[]
): Promise<{ changes: readonly SessionChange[]; texts: readonly string[] }> {
  const store = memoryStore();
  const changes: SessionChange[] = [];
  const watched: Store = {
    ...store,
    commit(sessionId, revision, change) {
      changes.push(change);
      return store.commit(sessionId, revision, change);
    },
  };
  const shortens = definePlugin({
    name: 'shortens',
    async wrapModelCall(request, next, scope) {
      try {
        return await next(request);
      } catch {
        scope.replaceMessages([{ role: 'user', content: 'In short: tea.' }]);
        return next({ ...request, messages: [{ id: 'short', role: 'user', content: [] }] });
      }
    },
  })();
  const model = scriptedModel([{ text: 'Good.' }, ...steps]);
  await using agent = await createAgent({ model, store: watched, plugins: [shortens] });
  await agent.run('Tea?', { sessionId: 's' });
  changes.length = 0;
  await agent.run('And biscuits?', { sessionId: 's' }).catch(() => undefined);
  const messages = (await agent.session('s'))?.messages ?? [];
  return { changes, texts: messages.map((message) => `${message.role}: ${textOf(message)}`) };
}

it('commits the messages that a layer has replaced together with the answer', async () => {
  const { changes, texts } = await recover(overflow, { text: 'Yes.' });
  expect(texts).toEqual(['user: In short: tea.', 'assistant: Yes.']);
  const replacing = changes.filter(({ replace }) => replace !== undefined);
  expect(replacing).toMatchObject([
    { replace: [{ from: 0, to: 3 }], append: [{ role: 'assistant' }], run: { status: 'completed' } },
  ]);
});

it('leaves the messages as they are when the call fails all the same', async () => {
  const { changes, texts } = await recover(overflow, overflow);
  expect(texts).toEqual(['user: Tea?', 'assistant: Good.', 'user: And biscuits?']);
  expect(changes.filter(({ replace }) => replace !== undefined)).toEqual([]);
});
