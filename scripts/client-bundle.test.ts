import { join } from 'node:path';
import { createContext, Script } from 'node:vm';

import { rolldown } from 'rolldown';
import { expect, it } from 'vitest';

import { root } from './workspace.ts';

it('the client runs where nothing of Node exists', async () => {
  const bundle = await rolldown({
    input: join(root, 'packages/client/src/index.ts'),
    platform: 'browser',
  });
  const { output } = await bundle.generate({ format: 'iife', name: 'client', minify: true });
  expect(output).toHaveLength(1);
  const [{ code, imports }] = output;
  expect(imports).toEqual([]);
  expect(Buffer.byteLength(code)).toBeLessThan(8000);

  const page = createContext({
    AbortController,
    TextDecoderStream,
    URLSearchParams,
    clearTimeout,
    crypto,
    setTimeout,
    fetch: async (url: string) => answer(new URL(url).pathname),
  });
  const program = `
    (async () => {
      const { run, stream } = client.createClient({ url: 'http://localhost' });
      const events = [];
      for await (const { type } of await stream('Hi')) events.push(type);
      return [...events, (await run('Hi')).text].join();
    })()`;
  expect(await new Script(`${code};${program}`).runInContext(page)).toBe('text-delta,run-end,Hello');
});

function answer(path: string): Response {
  if (!path.endsWith('/events'))
    return Response.json({ id: 'a', run: { sessionId: 'a', runId: 'r', text: 'Hello' } });
  const events = [
    { type: 'text-delta', index: 0, text: 'Hello' },
    { type: 'run-end', runId: 'r', outcome: 'completed' },
  ];
  return new Response(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''));
}
