// Serves the agent of the config, and a page for it: run `node server.ts`, and open the address that it prints.
import { readFileSync } from 'node:fs';

import { loadAgent } from '@shallot/core/config';
import { createServer, listen } from '@shallot/server';

const folder = import.meta.dirname;
const { PORT = '8000' } = process.env;

const loaded = await loadAgent({ cwd: folder });
const server = createServer(loaded);

/** Bundles the page and all its imports into one file, so that nothing is loaded from elsewhere. */
async function bundlePage(): Promise<string> {
  const { rolldown } = await import('rolldown');
  const bundle = await rolldown({
    cwd: folder,
    input: 'page.tsx',
    platform: 'browser',
    logLevel: 'silent',
    transform: { target: 'es2022', define: { 'process.env.NODE_ENV': '"production"' } },
  });
  const { output } = await bundle.generate({ format: 'esm', minify: true, codeSplitting: false });
  await bundle.close();
  return output[0].code;
}

let page: Promise<string> | undefined;
const files = new Map([
  ['/', { type: 'text/html', read: () => readFileSync(`${folder}/index.html`, 'utf8') }],
  ['/page.js', { type: 'text/javascript', read: () => (page ??= bundlePage()) }],
]);

const listening = await listen(
  {
    isForThisMachine: server.isForThisMachine,
    async fetch(request) {
      const file = files.get(new URL(request.url).pathname);
      if (file === undefined) return server.fetch(request);
      const headers = { 'content-type': `${file.type}; charset=utf-8` };
      return new Response(await file.read(), { headers });
    },
  },
  { port: Number(PORT) },
);
console.log(`Open ${listening.url}`);

for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void stop());

/** Stops the server. Runs in progress end their step, and are resumed at the next start. */
async function stop(): Promise<void> {
  await server.close();
  await listening.close();
  await loaded.agent.close();
}
