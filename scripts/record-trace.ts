// Records the run whose trace the guide shows: a real agent with real plugins, and a model that follows a script.
import { setTimeout as wait } from 'node:timers/promises';

import { memoryFiles } from '../packages/core/src/files/index.ts';
import { createAgent, defineTool, withInstructions } from '../packages/core/src/index.ts';
import type { ChatModel } from '../packages/core/src/model.ts';
import memory from '../packages/plugin-memory/src/index.ts';
import telemetry from '../packages/plugin-telemetry/src/index.ts';
import { scriptedModel } from '../packages/testing/src/index.ts';

/** Executes the run, and writes its trace to a file that must not exist yet. */
export async function recordTrace(file: string): Promise<void> {
  const files = memoryFiles();
  await files.write('/AGENTS.md', 'The club meets on Mondays. Answer in one sentence.');
  const agent = await createAgent({
    name: 'bee-club',
    model: slowModel(),
    instructions: 'You answer questions about the bee-keeping club.',
    files,
    tools: [readNote],
    plugins: [
      memory({ sources: ['/AGENTS.md'] }),
      withInstructions(() => 'Today is the 22nd of November.', 'calendar'),
      telemetry({
        otel: false,
        log: false,
        insight: true,
        trace: file,
        prices: { 'acme/large': { input: 3, output: 15 } },
      }),
    ],
  });
  const stream = agent.stream('When is the honey harvested, and who has the key to the shed?', {
    sessionId: 'honey',
  });
  for await (const _event of stream);
  await agent.close();
}

const readNote = defineTool({
  name: 'read_note',
  description: 'Reads one of the notes.',
  input: { type: 'object', properties: { path: { type: 'string' } } },
  effect: 'read',
  async execute({ path }) {
    await wait(path === 'keys.md' ? 9 : 14);
    if (path === 'keys.md') throw new Error('there is no note keys.md');
    return 'The honey is harvested in June and at the end of July.';
  },
});

/** Returns a scripted model that takes about as long as real models do. */
function slowModel(): ChatModel {
  const scripted = scriptedModel([
    {
      toolCalls: [
        { name: 'read_note', args: { path: 'honey.md' } },
        { name: 'read_note', args: { path: 'keys.md' } },
      ],
      usage: { input: 1240, output: 46, total: 1286 },
    },
    {
      text: 'In June and at the end of July; the notes do not say who has the key.',
      usage: { input: 1391, output: 24, total: 1415 },
    },
  ]);
  return {
    id: 'acme/large',
    async generate(request, call) {
      await wait(340);
      const response = await scripted.generate(request, call);
      await wait(410);
      return response;
    },
  };
}
