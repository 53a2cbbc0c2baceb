import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { expect, it, onTestFinished } from 'vitest';

import { root } from './workspace.ts';

const source = `import { definePlugin } from '@shallot/core';

export default definePlugin({
  name: 'hovered',
  setup({ hooks }) {
    hooks.beforeAgent.tap('first', () => {});
    hooks.beforeModel.tapPromise('second', async () => {});
    hooks.wrapModelCall.tap('third', (request, next) => next(request));
    hooks.afterModel.tap('fourth', () => {});
    hooks.wrapToolCall.tapPromise('fifth', async (call, next) => next(call));
    hooks.afterAgent.tap('sixth', () => {});
  },
});
`;

const contracts: readonly (readonly [word: string, contract: string])[] = [
  ['beforeAgent', '`(run)`: once per run, before its first step, outside in.'],
  ['beforeModel', '`(request, run)`: once per step, outside in.'],
  ['wrapModelCall', '`(request, next, scope)`: around each model call, outside in and back out.'],
  ['afterModel', '`(response, run)`: once per step, inside out, before its tools run.'],
  ['wrapToolCall', '`(call, next, scope)`: around each tool call, outside in and back out.'],
  ['afterAgent', '`(result, run)`: whenever the run ends or is interrupted'],
  // The first hook has several ways to tap.
  ["tap('first'", 'Adds a function to the hook.'],
  ["tap('third'", 'Adds a function to the hook.'],
  ["tapPromise('second'", 'As `tap`, for a function that always returns a promise.'],
  ["tapPromise('fifth'", 'As `tap`, for a function that always returns a promise.'],
];

it('an editor shows the contract of each hook, and of the ways to tap it', async () => {
  const hoverOf = await openInEditor(join(root, 'packages/testing/src/hovered.ts'), source);
  for (const [word, contract] of contracts)
    expect({ word, shown: await hoverOf(word) }).toEqual({
      word,
      shown: expect.stringContaining(contract) as string,
    });
});

/** Opens a file that need not exist in the language server of TypeScript. Returns what it shows on a word of it. */
async function openInEditor(file: string, text: string): Promise<(word: string) => Promise<string>> {
  const server = spawn(join(root, 'node_modules/.bin/tsc'), ['--lsp', '--stdio'], { cwd: root });
  onTestFinished(() => void server.kill());
  const waiting = new Map<number, (result: unknown) => void>();
  let input = Buffer.alloc(0);
  server.stdout.on('data', (data: Buffer) => {
    input = Buffer.concat([input, data]);
    for (;;) {
      const end = input.indexOf('\r\n\r\n');
      const length = Number(/Content-Length: (\d+)/.exec(input.toString('utf8', 0, Math.max(end, 0)))?.[1]);
      if (end === -1 || input.length < end + 4 + length) return;
      const message = JSON.parse(input.toString('utf8', end + 4, end + 4 + length)) as {
        id?: number;
        method?: string;
        result?: unknown;
      };
      input = input.subarray(end + 4 + length);
      if (message.method !== undefined && message.id !== undefined) write({ id: message.id, result: null });
      else if (message.id !== undefined) waiting.get(message.id)?.(message.result);
    }
  });
  const write = (message: object): void => {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    server.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  };
  const request = (method: string, params: object): Promise<unknown> => {
    const id = waiting.size + 1;
    const { promise, resolve } = Promise.withResolvers<unknown>();
    waiting.set(id, resolve);
    write({ id, method, params });
    return promise;
  };
  const uri = pathToFileURL(file).href;
  await request('initialize', {
    processId: process.pid,
    rootUri: pathToFileURL(root).href,
    capabilities: {},
  });
  write({ method: 'initialized', params: {} });
  write({
    method: 'textDocument/didOpen',
    params: { textDocument: { uri, languageId: 'typescript', version: 1, text } },
  });
  return async (word) => {
    const before = text.slice(0, text.indexOf(word) + 1).split('\n');
    const position = { line: before.length - 1, character: before.at(-1)?.length ?? 0 };
    const shown = (await request('textDocument/hover', { textDocument: { uri }, position })) as {
      readonly contents: { readonly value: string };
    };
    return shown.contents.value;
  };
}
