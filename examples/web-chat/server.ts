// Serves the agent of the config, and the page in front of it: `node server.ts`, and open the address that it prints.
import { readFileSync } from 'node:fs';

import { loadAgent } from '@shallot/core/config';
import { createServer, listen } from '@shallot/server';
import { rolldown } from 'rolldown';

const folder = import.meta.dirname;
const { PORT = '8000' } = process.env;

const loaded = await loadAgent({ cwd: folder });
const server = createServer(loaded);

// The page with all that it imports, in one file: nothing is loaded from elsewhere.
const bundle = await rolldown({
  cwd: folder,
  input: 'page.tsx',
  platform: 'browser',
  logLevel: 'silent',
  transform: { target: 'es2022', define: { 'process.env.NODE_ENV': '"production"' } },
});
const { output } = await bundle.generate({ format: 'esm', minify: true, codeSplitting: false });
await bundle.close();

const files = new Map([
  ['/', { type: 'text/html; charset=utf-8', body: readFileSync(`${folder}/index.html`, 'utf8') }],
  ['/page.js', { type: 'text/javascript; charset=utf-8', body: output[0].code }],
]);

const listening = await listen(
  {
    isForThisMachine: server.isForThisMachine,
    async fetch(request) {
      const file = files.get(new URL(request.url).pathname);
      if (file === undefined) return server.fetch(request);
      return new Response(file.body, { headers: { 'content-type': file.type } });
    },
  },
  { port: Number(PORT) },
);
console.log(`Open ${listening.url}`);

for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void stop());

/** Runs end their step, and are resumed at the next start. */
async function stop(): Promise<void> {
  await server.close();
  await listening.close();
  await loaded.agent.close();
}
