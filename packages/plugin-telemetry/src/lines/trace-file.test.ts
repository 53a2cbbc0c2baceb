import { execFileSync } from 'node:child_process';
import {
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import {
  createAgent,
  definePlugin,
  defineTool,
  memoryStore,
  type Agent,
  type AgentOptions,
  type AssistantPart,
} from '@shallot/core';
import { scriptedModel } from '@shallot/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';

import telemetry, { type TelemetryOptions } from '../index.ts';
import { readTrace, type TraceNode } from '../trace.ts';
import { TraceFile } from './trace-file.ts';

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'shallot-trace-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const look = defineTool({
  name: 'look',
  description: 'Looks.',
  input: { type: 'object' },
  execute: ({ at }) => (at === 'nothing' ? Promise.reject(new Error('too dark')) : 'an onion'),
});
const usage = { input: 1000, output: 10, total: 1010 };

async function tracedAgent(options: TelemetryOptions, more: Partial<AgentOptions> = {}): Promise<Agent> {
  return createAgent({
    model: scriptedModel([
      {
        toolCalls: [
          { name: 'look', args: { at: 'a' } },
          { name: 'look', args: { at: 'nothing' } },
        ],
        usage,
      },
      { text: 'An onion.', usage },
    ]),
    tools: [look],
    log: 'silent',
    plugins: [telemetry({ otel: false, ...options })],
    ...more,
  });
}

/** The tree of a file in a few words. */
async function outline(path: string): Promise<string[]> {
  const { parts } = await readTrace(path);
  return parts.flatMap(({ header, roots }) =>
    [`${header.agent} ${header.resumed ? 'resumed' : 'begun'}`].concat(
      roots.flatMap((root) => outlineOf(root, 1)),
    ),
  );
}

function outlineOf({ start, end, notes, children }: TraceNode, depth: number): string[] {
  const name = start.model ?? start.tool ?? start.plugin ?? start.step ?? '';
  const noted = notes
    .map(({ note, interrupt }) => ` ${note}${interrupt === undefined ? '' : ` ${interrupt.kind}`}`)
    .join('');
  const came = [end?.outcome, end?.finish, end?.error?.message].filter(Boolean).join(' ');
  return [
    `${'  '.repeat(depth)}${start.kind} ${name} ${end === undefined ? 'under way' : came}${noted}`.trimEnd(),
    ...children.flatMap((child) => outlineOf(child, depth + 1)),
  ];
}

/** Reads a pipe until its writer is done: a thread of this process waits for it. */
async function drain(pipe: string): Promise<void> {
  const reader = await open(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const buffer = Buffer.alloc(65_536);
    const read = async (): Promise<number> => (await reader.read(buffer)).bytesRead;
    while ((await read().catch(() => 1)) > 0);
  } finally {
    await reader.close();
  }
}

describe('a trace file', () => {
  it('holds what the provider looked up, and what the answer rests on', async () => {
    const file = join(newFolder(), '{runId}.jsonl');
    const opened: string[] = [];
    const parts: readonly AssistantPart[] = [
      { type: 'provider-call', id: 'w', name: 'web_search', input: { query: 'onions' } },
      { type: 'source', id: '1', url: 'https://onions.example' },
      {
        type: 'text',
        text: 'An onion.',
        citations: [{ source: { id: '1', url: 'https://onions.example' } }],
      },
    ];
    const chunks = parts.map((part, index) => ({ type: 'part-end', index, part }) as const);
    const agent = await tracedAgent(
      { trace: { file, content: true, opened: (path) => opened.push(path) } },
      { model: scriptedModel([{ chunks }]) },
    );
    await agent.run('What is it?');
    await agent.close();
    const [part] = (await readTrace(opened[0] ?? '')).parts;
    const end = part?.roots[0]?.children[0]?.children[0]?.end;
    expect(end).toMatchObject({ providerCalls: ['web_search'], sources: 1 });
    expect(JSON.stringify(end?.message)).toContain('"citations":[{"source":{"id":"1","url"');
  });

  it('holds a run: steps, model calls, tool calls, with what they cost and how they came out', async () => {
    const file = join(newFolder(), 'deep', '{sessionId}', '{runId}.jsonl');
    const opened: string[] = [];
    const agent = await tracedAgent({
      trace: { file, opened: (path) => opened.push(path) },
      prices: { 'test/scripted': { input: 3, output: 15 } },
    });
    const { runId } = await agent.run('What is it?', { sessionId: 'a' });
    await agent.close();
    expect(opened).toEqual([expect.stringContaining(join('deep', 'a', runId.slice(0, 8)))]);
    const path = opened[0] ?? '';
    expect(await outline(path)).toEqual([
      'agent begun',
      '  run  completed',
      '    step 1',
      '      model test/scripted tool-calls',
      '      tool look ok',
      '      tool look failed too dark',
      '    step 2',
      '      model test/scripted stop',
    ]);
    const [part] = (await readTrace(path)).parts;
    expect(part?.roots[0]?.end?.usage).toMatchObject({ input: 2000, output: 20, modelCalls: 2 });
    expect(part?.roots[0]?.children[0]?.children[0]?.end?.cost).toBeCloseTo(
      (1000 * 3 + 10 * 15) / 1_000_000,
      9,
    );
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it.skipIf(process.platform === 'win32')(
    'that does not take more keeps no agent from being closed',
    async () => {
      const file = join(newFolder(), 'pipe');
      execFileSync('mkfifo', [file]);
      const lines: string[] = [];
      const agent = await tracedAgent(
        { trace: { file, content: true }, log: false },
        { log: 'warn', logStream: { write: (line) => lines.push(line) } },
      );
      await agent.run('x'.repeat(1_000_000));
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      onTestFinished(() => void vi.useRealTimers());
      const closed = agent.close();
      await vi.advanceTimersByTimeAsync(10_000);
      await closed;
      expect(lines.join('')).toContain('/pipe has accepted no data for 10 s');
      await drain(file);
    },
  );

  it('has messages, arguments and results only when it is asked for them, and each message once', async () => {
    const folder = newFolder();
    const texts = await Promise.all(
      [false, true].map(async (content) => {
        const file = join(folder, `${content}.jsonl`);
        const agent = await tracedAgent({ trace: { file, content } }, { instructions: 'Be brief.' });
        await agent.run('What is it?');
        await agent.close();
        return readFileSync(file, 'utf8');
      }),
    );
    expect(texts[0]).not.toMatch(/What is it|an onion|An onion|Be brief|"nothing"/);
    expect(texts[1]).toMatch(/Be brief/);
    expect(texts[1]?.match(/What is it/g)).toHaveLength(1);
    expect(texts[1]?.match(/an onion/g)).toHaveLength(1);
  });

  it.each([
    ['a string', (file: string) => file],
    ['an object', (file: string) => ({ file })],
  ])('has no messages when it is only named, by %s', async (_, named) => {
    const file = join(newFolder(), 'trace.jsonl');
    const agent = await tracedAgent({ trace: named(file) });
    await agent.run('What is it?');
    await agent.close();
    const text = readFileSync(file, 'utf8');
    expect(text).toContain('"kind":"model"');
    expect(text).not.toMatch(/What is it|an onion|An onion/);
  });

  it('leaves the named file to others, if it is theirs to make', async () => {
    const path = join(newFolder(), 'trace.jsonl');
    const lost = (_lines: number, error: unknown): void => expect.fail(String(error));
    const child = new TraceFile('child', { path, lost, isForOthers: true });
    child.add('{"runId":"child"}');
    await child.close();
    expect(existsSync(path)).toBe(false);
    expect(readFileSync(path.replace('.jsonl', '-child.jsonl'), 'utf8')).toContain('child');
    const root = new TraceFile('root', { path, lost });
    root.add('{"runId":"root"}');
    await root.close();
    expect(readFileSync(path, 'utf8')).toContain('root');
  });

  it('keeps no more than 4 million characters waiting: what comes then is lost, and the file says so', async () => {
    const path = join(newFolder(), 'trace.jsonl');
    const losses: unknown[] = [];
    const file = new TraceFile('r', {
      path,
      lost: (lines, error) => losses.push(`${lines}: ${String(error)}`),
    });
    for (const character of ['a', 'b', 'c']) file.add(character.repeat(1_900_000));
    await file.close();
    expect(losses).toEqual(['1: Error: data arrived faster than it could be written']);
    const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean);
    expect(lines.map((line) => line.slice(0, 30))).toEqual([
      'a'.repeat(30),
      'b'.repeat(30),
      '{"type":"lost","lines":1}',
    ]);
  });

  it('is one for each run: what is there already is left alone', async () => {
    const folder = newFolder();
    const file = join(folder, 'trace.jsonl');
    const agent = await createAgent({
      model: scriptedModel([{ text: 'Yes.' }, { text: 'Yes.' }, { text: 'Yes.' }]),
      plugins: [telemetry({ otel: false, trace: file })],
    });
    const runs = await Promise.all(
      [1, 2, 3].map((number) => agent.run(`${number}?`, { sessionId: `s${number}` })),
    );
    await agent.close();
    const names = readdirSync(folder);
    expect(names).toHaveLength(3);
    const traces = await Promise.all(names.map((name) => readTrace(join(folder, name))));
    expect(traces.map(({ parts }) => parts.map(({ header }) => header.runId))).toEqual(
      expect.arrayContaining(runs.map(({ runId }) => [runId])),
    );
  });

  it('goes on when its run is resumed, also behind a line that was cut off', async () => {
    const file = join(newFolder(), 'trace.jsonl');
    const store = memoryStore();
    const ask = defineTool({
      name: 'ask',
      description: 'Asks.',
      input: { type: 'object' },
      execute: (_args, { interrupt }) =>
        interrupt({ kind: 'question', payload: 'Milk?', answer: { type: 'string' } }),
    });
    const model = scriptedModel([{ toolCalls: [{ name: 'ask' }] }, { text: 'So be it.' }]);
    const first = await tracedAgent({ trace: file }, { store, model, tools: [ask] });
    const { interrupts } = await first.run('Tea?', { sessionId: 'tea' });
    await first.close();
    truncateSync(file, statSync(file).size - 5);
    const second = await tracedAgent({ trace: file }, { store, model, tools: [ask] });
    await second.resume('tea', { [interrupts[0]?.id ?? '']: 'yes' });
    await second.close();
    expect(await outline(file)).toEqual([
      'agent begun',
      '  run  under way interrupt question',
      '    step 1',
      '      model test/scripted tool-calls',
      '      tool ask interrupted',
      'agent resumed',
      '  run  completed',
      '    step 1',
      '      tool ask ok',
      '    step 2',
      '      model test/scripted stop',
    ]);
    expect((await readTrace(file)).damagedLines).toHaveLength(1);
  });

  it.runIf(process.platform === 'linux').each([
    ['a full disk', () => '/dev/full', /ENOSPC/],
    ['a directory that is a file', () => '/dev/null/trace.jsonl', /ENOTDIR|EEXIST/],
    ['a directory in its place', () => newFolder(), /EISDIR/],
  ])('that cannot be written does not disturb the run: %s', async (_what, pathOf, reason) => {
    const path = pathOf();
    const lines: string[] = [];
    const agent = await tracedAgent(
      { trace: path, log: false },
      { log: 'info', logStream: { write: (line) => lines.push(line) } },
    );
    const { text } = await agent.run('What is it?');
    await agent.close();
    expect(text).toBe('An onion.');
    const said = lines.map((line) => JSON.parse(line) as { msg: string; lost?: number });
    expect(said).toHaveLength(2);
    expect(said[0]?.msg).toMatch(/^Telemetry is being lost: trace files failed with: /);
    expect(said[0]?.msg).toMatch(reason);
    // The header, and 7 activities that began and ended.
    expect(said[1]).toMatchObject({ lost: 15 });
    expect(openFiles()).not.toContain(path);
  });

  it('is written also for a request that JSON cannot hold', async () => {
    const file = join(newFolder(), 'trace.jsonl');
    const circular: Record<string, unknown> = {};
    circular['self'] = circular;
    const odd = definePlugin({
      name: 'odd',
      wrapModelCall: (request, next) => next({ ...request, settings: { provider: circular as never } }),
    })();
    const agent = await tracedAgent(
      { trace: { file, content: true } },
      { plugins: [telemetry({ otel: false, trace: { file, content: true } }), odd] },
    );
    expect((await agent.run('What is it?')).text).toBe('An onion.');
    await agent.close();
    expect((await outline(file)).at(-1)).toBe('      model test/scripted stop');
  });
});

/** The paths of what this process has open, on Linux. */
function openFiles(): string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/self/fd/${fd}`)];
    } catch {
      // The handle with which the directory was read.
      return [];
    }
  });
}

describe('reading a trace file', () => {
  const header = JSON.stringify({
    type: 'trace',
    version: 1,
    runId: 'r',
    sessionId: 's',
    agent: 'a',
    resumed: false,
    at: 1,
  });

  it.each([
    ['', 'telemetry/TRACE_INVALID', /is empty/],
    ['\n\n', 'telemetry/TRACE_INVALID', /is not a trace file/],
    ['hello\n', 'telemetry/TRACE_INVALID', /is not a trace file/],
    ['{"type":"trace"}\n', 'telemetry/TRACE_INVALID', /is not a trace file/],
    ['\0\0\0\0', 'telemetry/TRACE_INVALID', /is not a trace file/],
    [
      header.replace('"version":1', '"version":2'),
      'telemetry/TRACE_VERSION',
      /version 2 of the format; this program reads up to 1\. Update/,
    ],
  ])('refuses %j', async (text, code, message) => {
    const path = join(newFolder(), 'x.jsonl');
    writeFileSync(path, text);
    await expect(readTrace(path)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message) as string,
    });
  });

  it('refuses what is no file, and what is too large', async () => {
    const folder = newFolder();
    const huge = join(folder, 'huge.jsonl');
    writeFileSync(huge, header);
    truncateSync(huge, 300 * 1024 * 1024);
    symlinkSync('nowhere', join(folder, 'gone'));
    mkdirSync(join(folder, 'folder'));
    const refused = { code: 'telemetry/TRACE_UNREADABLE' };
    await expect(readTrace(huge)).rejects.toMatchObject({
      ...refused,
      message: expect.stringMatching(/has 300 MB/) as string,
    });
    await expect(readTrace(join(folder, 'gone'))).rejects.toMatchObject(refused);
    await expect(readTrace(join(folder, 'folder'))).rejects.toMatchObject(refused);
    await expect(readTrace('/dev/zero')).rejects.toMatchObject(refused);
  });

  it('reads what can be read of a damaged one', async () => {
    const path = join(newFolder(), 'x.jsonl');
    const lines = [
      header,
      '{"type":"start","id":1,"kind":"run","at":5}',
      'rubbish',
      '{"type":"start","id":"2","kind":"step","at":5}',
      '{"type":"start","id":3,"parent":2,"kind":"tool","tool":"lost","at":6}',
      '{"type":"from-the-future","id":3}',
      '{"type":"end","id":99,"at":7}',
      '[1]',
      '{"type":"lost","lines":4}',
      '{"type":"end","id":1,"at":9,"out',
    ];
    writeFileSync(path, lines.join('\n'));
    expect(await readTrace(path)).toMatchObject({
      damagedLines: [3, 4, 8],
      cutOff: true,
      parts: [
        {
          lostLines: 4,
          lastAt: 7,
          roots: [{ start: { kind: 'run' }, end: undefined }, { start: { tool: 'lost' } }],
        },
      ],
    });
  });
});
