import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';

import { Refusal } from './refusal.ts';

/** What a page is converted by: in a thread, because a page can be made so that it takes long, or all the memory. */
const program = `
  const { parentPort, workerData } = require('node:worker_threads');
  const TurndownService = require(workerData.turndown);
  const service = new TurndownService({ headingStyle: 'atx', codeBlockStyle: 'fenced', bulletListMarker: '-' });
  service.remove(['title', 'script', 'style', 'noscript', 'template', 'iframe', 'svg', 'canvas', 'form', 'nav', 'head']);
  parentPort.postMessage(service.turndown(workerData.html));
`;

const maxMegabytes = 512;

/** A page of HTML as Markdown. @throws `Refusal` when it cannot be converted; the reason of an abort */
export async function htmlToMarkdown(html: string, signal: AbortSignal): Promise<string> {
  signal.throwIfAborted();
  const require = createRequire(import.meta.url);
  const turndown = require.resolve('turndown');
  const worker = new Worker(program, {
    eval: true,
    workerData: { turndown, html },
    // Nothing of this process is given to what parses a stranger's page.
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: maxMegabytes, stackSizeMb: 8 },
  });
  const outcome = Promise.withResolvers<string>();
  const abort = (): void => outcome.reject(signal.reason);
  signal.addEventListener('abort', abort);
  worker
    .once('message', (text: unknown) => outcome.resolve(String(text)))
    .once('error', (error) => outcome.reject(notConverted(error)))
    .once('exit', () => outcome.reject(notConverted(undefined)));
  try {
    return await outcome.promise;
  } finally {
    signal.removeEventListener('abort', abort);
    await worker.terminate();
  }
}

function notConverted(error: unknown): Refusal {
  const why = error instanceof Error ? `: ${error.message}` : '';
  return new Refusal(`The page could not be converted to Markdown${why}.`);
}
