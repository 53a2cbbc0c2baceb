import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';

import { Refusal } from './refusal.ts';

/** The program that converts a page. It runs in a thread, because a hostile page can take minutes or exhaust memory. */
const program = `
  const { parentPort, workerData } = require('node:worker_threads');
  const { turndown, html, url } = workerData;
  const TurndownService = require(turndown);
  const service = new TurndownService({ headingStyle: 'atx', codeBlockStyle: 'fenced', bulletListMarker: '-' });
  const left = ['script', 'style', 'noscript', 'template', 'iframe', 'svg', 'canvas', 'nav', 'head'];
  service.remove([...left, 'input', 'button', 'select', 'datalist', 'textarea']);
  // Only tables of data become Markdown tables; layout tables are read as text.
  const tables = new Map();
  const readTable = (table) => {
    if (table.querySelector('table, h1, h2, h3, h4, pre')) return undefined;
    const rows = Array.from(table.querySelectorAll('tr'));
    const cells = rows.map((row) => Array.from(row.childNodes).filter(({ nodeName }) => nodeName === 'TD' || nodeName === 'TH'));
    const columns = Math.max(0, ...cells.map((row) => row.reduce((sum, cell) => sum + spanOf(cell), 0)));
    const isData = columns > 1 && cells.every((row) => row.every(({ textContent }) => textContent.length <= 1000));
    return isData ? { columns, first: rows.find((_, index) => cells[index].length > 0) } : undefined;
  };
  const spanOf = (cell) => Math.min(100, Math.max(1, Number(cell.getAttribute('colspan')) || 1));
  const tableOf = (node) => {
    const table = node.closest('table');
    if (table === null) return undefined;
    if (!tables.has(table)) tables.set(table, readTable(table));
    return tables.get(table);
  };
  service.addRule('cell', {
    filter: (node) => /^T[DH]$/.test(node.nodeName) && tableOf(node) !== undefined,
    replacement: (content, node) =>
      ' ' + content.trim().replace(/\\s*\\n\\s*/g, ' ').replace(/\\|/g, '\\\\|') + ' |'.repeat(spanOf(node)),
  });
  service.addRule('row', {
    filter: (node) => node.nodeName === 'TR' && tableOf(node) !== undefined,
    replacement: (content, node) => {
      const { columns, first } = tableOf(node);
      return '\\n|' + content.replace(/\\n/g, '') + (node === first ? '\\n|' + ' --- |'.repeat(columns) : '');
    },
  });
  service.addRule('section', {
    filter: (node) => /^T(?:HEAD|BODY|FOOT)$/.test(node.nodeName) && tableOf(node) !== undefined,
    replacement: (content) => content,
  });
  service.addRule('table', {
    filter: (node) => node.nodeName === 'TABLE' && tableOf(node) !== undefined,
    replacement: (content) => {
      const lines = content.split('\\n').filter((line) => line.trim() !== '');
      const about = lines.filter((line) => !line.startsWith('|'));
      const rows = lines.filter((line) => line.startsWith('|'));
      return '\\n\\n' + [...about, ...(about.length === 0 ? [] : ['']), ...rows].join('\\n') + '\\n\\n';
    },
  });
  // Text that people cannot see could address the model alone.
  const isHidden = (node) => {
    const style = (node.getAttribute('style') ?? '').replace(/\\s+/g, '').toLowerCase();
    return node.hasAttribute('hidden') || node.getAttribute('aria-hidden') === 'true' ||
      /(?:^|;)(?:display:none|visibility:hidden|font-size:0(?:px|em|pt|%)?(?:;|$)|opacity:0(?:\\.0*)?(?:;|$))/.test(style);
  };
  let title;
  const readTitle = (_, node) => {
    if (node.closest('svg') === null) title ??= node.textContent;
    return '';
  };
  service.addRule('title', { filter: 'title', replacement: readTitle });
  // The last rule added takes precedence.
  service.addRule('hidden', { filter: isHidden, replacement: () => '' });
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
  const text = service.turndown(html);
  parentPort.postMessage({ text, title });
`;

const maxMegabytes = 512;

export interface Markdown {
  readonly text: string;
  readonly title?: string;
}

/**
 * Returns an HTML page as Markdown, with its title, and with whole URLs in links. Pictures embedded as data are reduced to their
 * alternative text, and hidden content is left out. Tables of data stay tables.
 * @throws `Refusal` if the page cannot be converted, and the reason of an abort
 */
export async function htmlToMarkdown(html: string, url: URL, signal: AbortSignal): Promise<Markdown> {
  signal.throwIfAborted();
  const require = createRequire(import.meta.url);
  const turndown = require.resolve('turndown');
  const worker = new Worker(program, {
    eval: true,
    workerData: { turndown, html, url: url.href },
    // The thread parses untrusted input, so it gets no environment or flags of this process.
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: maxMegabytes, stackSizeMb: 8 },
  });
  const outcome = Promise.withResolvers<Markdown>();
  const abort = (): void => outcome.reject(signal.reason);
  signal.addEventListener('abort', abort);
  worker
    .once('message', (markdown: Markdown) => outcome.resolve(markdown))
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
