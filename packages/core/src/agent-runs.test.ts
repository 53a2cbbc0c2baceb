import { expect, it } from 'vitest';

import { scriptedModel } from '../../testing/src/scripted-model.ts';
import { definePlugin } from './contract/define-plugin.ts';
import { createAgent } from './create-agent.ts';
import { createLogger } from './log/create-logger.ts';
import { createRedactor } from './redact/redactor.ts';
import { memoryStore } from './sessions/stores/memory-store.ts';

it('a plugin that fails to delete its part of a session is in the log', async () => {
  const lines: unknown[] = [];
  const stream = { write: (line: string) => void lines.push(JSON.parse(line)) };
  const log = createLogger('warn', { redactor: createRedactor({ environment: false }), stream });
  const thrower = definePlugin({
    name: 'thrower',
    setup: ({ onDeleteSession }) =>
      onDeleteSession(() => {
        throw new Error('no network');
      }),
  });
  const options = {
    model: scriptedModel([{ text: 'Hi.' }]),
    store: memoryStore(),
    plugins: [thrower()],
    log,
  };
  await using agent = await createAgent(options);
  await agent.run('hello', { sessionId: 'ada' });
  await agent.deleteSession('ada');
  expect(lines).toMatchObject([
    { msg: 'a part of a deleted session stays', sessionId: 'ada', plugin: 'thrower' },
  ]);
});
