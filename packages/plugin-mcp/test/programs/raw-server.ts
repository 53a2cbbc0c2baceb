// A server that writes its messages without a library, so that it can break the protocol in one way: `node
// raw-server.ts MODE`.
import { spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const [mode = '', folder = ''] = process.argv.slice(2);
const reads = { annotations: { readOnlyHint: true } };

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly result?: object;
  readonly params?: { readonly name?: string; readonly protocolVersion?: string };
}

const plain = { type: 'object', properties: {} };
const tool = (name: string, more: object = {}): object => ({
  name,
  description: name,
  inputSchema: plain,
  ...more,
});
const sized = { type: 'object', properties: { size: { type: 'integer' } }, required: ['size'] };
const outputs: Readonly<Record<string, object>> = {
  fits: { structuredContent: { size: 1 } },
  differs: { structuredContent: { size: 'big' } },
  fails: { isError: true },
  unreadable: { structuredContent: { a: 1 } },
};
const text = (value: string): object => ({ content: [{ type: 'text', text: value }] });

/** The tools of a mode. Default: one tool, `look`. */
const tools: Readonly<Record<string, () => readonly unknown[]>> = {
  'two-of-one-name': () => [
    tool('look', { description: 'the first' }),
    tool('look', { description: 'the second' }),
  ],
  'long-name': () => [tool('long'.repeat(75)), tool('with spaces/and:signs')],
  'no-tools': () => [],
  cycle: () => [
    tool('look', {
      inputSchema: {
        type: 'object',
        properties: { a: { $ref: '#/$defs/a' }, b: { $ref: '#/properties/b' } },
        $defs: { a: { anyOf: [{ $ref: '#/$defs/a' }, { type: 'string' }] } },
      },
    }),
  ],
  unreadable: () => [
    tool('look', { inputSchema: { type: 'object', properties: { a: { $ref: '#/nowhere' } } } }),
  ],
  'many-properties': () => [
    tool('look', {
      inputSchema: {
        type: 'object',
        properties: Object.fromEntries(
          Array.from({ length: 10_000 }, (_, n) => [`p${n}`, { type: 'string' }]),
        ),
      },
    }),
  ],
  hints: () => [
    tool('read', { title: 'Reads it', annotations: { readOnlyHint: true } }),
    tool('fetch', { annotations: { readOnlyHint: true, openWorldHint: true } }),
    tool('set', { annotations: { idempotentHint: true } }),
  ],
  output: () => [
    ...['fits', 'differs', 'lacks', 'fails'].map((name) => tool(name, { outputSchema: sized })),
    tool('unreadable', { outputSchema: { type: 'object', properties: { a: { $ref: '#/nowhere' } } } }),
  ],
  'dies-reading': () => [tool('look', reads)],
  'dies-once': () => [tool('look', reads)],
  'one-bad': () => [
    tool('deep', { inputSchema: { type: 'object', properties: nested(2000) } }),
    tool('look'),
    { name: 'no-schema' },
    tool('task', { execution: { taskSupport: 'required' } }),
    tool('odd', { inputSchema: 'none' }),
    17,
  ],
  'five-thousand': () =>
    Array.from({ length: 5000 }, (_, n) =>
      tool(`tool_${n}`, {
        description: 'Looks up something in one of many tables, and returns the rows that match. '.repeat(3),
        inputSchema: {
          type: 'object',
          properties: { query: { type: 'string' }, limit: { type: 'integer', minimum: 1 } },
        },
      }),
    ),
  titled: () => [tool('destroy', { title: 'Harmless \u001B[31m', annotations: { readOnlyHint: true } })],
  changing: () => [tool('look', { description: `look ${(changes += 1)}` })],
};
let changes = 0;

function nested(levels: number): object {
  let value: object = { type: 'string' };
  for (let n = 0; n < levels; n += 1) value = { a: { type: 'object', properties: value } };
  return value;
}
let onAnswer: ((result: object | undefined) => void) | undefined;

function send(message: object): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}

function answer(id: Message['id'], result: object): void {
  send({ id: mode === 'other-id' ? 4711 : id, result });
}

function call(id: Message['id'], name: string): void {
  if (mode === 'output') return answer(id, { ...text(`a ${name}`), ...outputs[name] });
  if (mode === 'junk') process.stdout.write('not a message\n{"half": \n\n{"jsonrpc":"1.0"}\n');
  if (mode === 'long-line') process.stdout.write(`${'x'.repeat(11 * 1024 * 1024)}\n`);
  if (mode === 'huge') {
    process.stdout.write(`{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"`);
    for (let n = 0; n < 300; n += 1) process.stdout.write('x'.repeat(1024 * 1024));
    process.stdout.write('"}]}}\n');
    return;
  }
  if (mode === 'long-text') return answer(id, text('word '.repeat(1_000_000)));
  if (mode === 'flood') {
    for (let n = 0; n < 20_000; n += 1)
      send({ method: 'notifications/message', params: { level: 'info', data: `line ${n}` } });
    process.stderr.write('noise\n'.repeat(50_000));
  }
  if (mode === 'not-a-result') return answer(id, { content: 'a string' });
  if (mode === 'dies-reading') process.exit(3);
  if (mode === 'dies-once' && !existsSync(join(folder, 'died'))) {
    writeFileSync(join(folder, 'died'), '');
    process.exit(3);
  }
  if (mode === 'asks-while-held') {
    const properties = { name: { type: 'string' }, colour: { type: 'string', default: 'red' } };
    const params = { message: 'Your name?', requestedSchema: { type: 'object', properties } };
    onAnswer = (result) => answer(id, text(JSON.stringify(result)));
    return send({ id: 'question', method: 'elicitation/create', params });
  }
  if (mode === 'changing') send({ method: 'notifications/tools/list_changed' });
  answer(id, text(`pid ${process.pid}`));
}

function receive({ id, method, params, result }: Message): void {
  if (id === undefined) return;
  if (id === 'question') return onAnswer?.(result);
  if (method === 'server/discover') {
    if (mode === 'ends-when-asked') process.exit(1);
    if (mode === 'ignores-discover') return;
    return send({ id, error: { code: -32_601, message: 'Method not found' } });
  }
  if (method === 'initialize') {
    const protocolVersion = mode === 'oldest' ? '2024-11-05' : (params?.protocolVersion ?? '');
    return answer(id, {
      protocolVersion: mode === 'unknown-revision' ? '1999-01-01' : protocolVersion,
      capabilities: { tools: { listChanged: true } },
      serverInfo: { name: 'raw', version: '1.0.0' },
    });
  }
  if (method === 'tools/list') return answer(id, { tools: (tools[mode] ?? (() => [tool('look')]))() });
  if (method === 'tools/call') return call(id, params?.name ?? '');
  return send({ id, error: { code: -32_601, message: 'Method not found' } });
}

if (mode === 'crash') {
  process.stderr.write('the database is not there\n');
  process.exit(7);
}
if (mode === 'starts-others') spawn('sleep', ['600'], { stdio: 'inherit' });
if (mode === 'hangs-at-the-end') {
  process.on('SIGTERM', () => process.stderr.write('TERM\n'));
  setInterval(() => {}, 1000);
}
if (mode !== 'silent') {
  createInterface({ input: process.stdin }).on('line', (line) => receive(JSON.parse(line) as Message));
} else {
  process.stdin.resume();
}
