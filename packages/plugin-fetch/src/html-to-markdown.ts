import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';

import { Refusal } from './refusal.ts';

/** The program that converts a page, in a thread: a page can be made to take long, or all the memory. */
const program = `
  const { parentPort, workerData } = require('node:worker_threads');
  const { turndown, html, url } = workerData;
  const TurndownService = require(turndown);
  const service = new TurndownService({ headingStyle: 'atx', codeBlockStyle: 'fenced', bulletListMarker: '-' });
  service.remove(['title', 'script', 'style', 'noscript', 'template', 'iframe', 'svg', 'canvas', 'form', 'nav', 'head']);
  let base;
  const absolute = (node, attribute) => {
    base ??= URL.parse(node.ownerDocument.querySelector('base[href]')?.getAttribute('href') ?? '', url)?.href ?? url;
    const whole = URL.parse(node.getAttribute(attribute) ?? '', base);
    if (whole !== null) node.setAttribute(attribute, whole.href);
  };
  const { inlineLink, image } = service.options.rules;
  const linked = inlineLink.replacement;
  inlineLink.replacement = (content, node, options) => {
    absolute(node, 'href');
    return linked(content, node, options);
  };
  const pictured = image.replacement;
  image.replacement = (content, node, options) => {
    if (/^data:/i.test(node.getAttribute('src') ?? '')) return node.getAttribute('alt') ?? '';
    absolute(node, 'src');
    return pictured(content, node, options);
  };
  parentPort.postMessage(service.turndown(html));
`;

const maxMegabytes = 512;

/**
 * A page of HTML as Markdown, with links that are whole URLs; pictures inside of it are left out, but for their words.
 * @throws `Refusal` when it cannot be converted; the reason of an abort
 */
export async function htmlToMarkdown(html: string, url: URL, signal: AbortSignal): Promise<string> {
  signal.throwIfAborted();
  const require = createRequire(import.meta.url);
  const turndown = require.resolve('turndown');
  const worker = new Worker(program, {
    eval: true,
    workerData: { turndown, html, url: url.href },
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
