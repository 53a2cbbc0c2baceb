import { mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { scriptedModel, type ScriptedStep } from '../../../../testing/src/scripted-model.ts';
import { noting } from '../../../test/input-taps.ts';
import type { AgentOptions } from '../../contract/agent-options.ts';
import { definePlugin } from '../../contract/define-plugin.ts';
import { textOf, textPart, type Message, type ToolMessage } from '../../contract/messages.ts';
import type { Store } from '../../contract/store.ts';
import { defineTool, type ToolDefinition, type ToolOutput } from '../../contract/tool.ts';
import { createAgent } from '../../create-agent.ts';
import { diskFiles } from '../../files/disk-files.ts';
import type { Files } from '../../files/files.ts';
import { memoryFiles } from '../../files/memory-files.ts';
import { memoryStore } from '../../sessions/stores/memory-store.ts';
import { cutResult } from '../../tokens/cut-result.ts';
import { keptFilesOf } from '../../tokens/kept-files.ts';
import { lastingResult } from '../../tokens/lasting.ts';

const shown = /\/results\/[^\s:\]]+\.[a-z]+/;
const long = Array.from({ length: 4000 }, (_, index) => `line ${index} of a long output`).join('\n');

const returning = (output: ToolOutput, more: Partial<ToolDefinition> = {}) =>
  defineTool({
    name: 'look',
    description: 'Looks.',
    input: { type: 'object' },
    execute: () => output,
    ...more,
  });

const call = (name = 'look', args = {}): ScriptedStep => ({ toolCalls: [{ name, args }] });

interface Seen {
  readonly text: string;
  readonly path: string | undefined;
  readonly messages: readonly Message[];
  readonly warnings: readonly string[];
}

/** Runs one call, and returns what became of its result. */
async function seen(options: Omit<AgentOptions, 'model'>): Promise<Seen> {
  const model = scriptedModel([call(), { text: 'Done.' }]);
  await using agent = await createAgent({ log: 'silent', ...options, model });
  const stream = agent.stream('Go', { sessionId: 's' });
  const warnings: string[] = [];
  for await (const event of stream) if (event.type === 'warning') warnings.push(event.code);
  const { messages } = await stream.result;
  const text = messages
    .filter(({ role }) => role === 'tool')
    .map(textOf)
    .join();
  return { text, path: shown.exec(text)?.[0], messages, warnings };
}

/** Returns what `read` makes of a path for the tools of a run. */
async function inRun<T>(files: Files, read: (files: Files) => Promise<T>): Promise<T> {
  const model = scriptedModel([call('see'), { text: 'Done.' }]);
  let got: { readonly value: T } | undefined;
  const see = defineTool({
    name: 'see',
    description: 'Sees.',
    input: { type: 'object' },
    execute: async (_, context) => void (got = { value: await read(context.files) }),
  });
  await using agent = await createAgent({ model, files, tools: [see], toolErrors: 'throw', log: 'silent' });
  await agent.run('Go');
  if (got === undefined) throw new Error('the tool was not called');
  return got.value;
}

describe('a large result', () => {
  it('is a file of the session; the model, the journal and the store get head, tail, size and path', async () => {
    const [files, { store, noted }] = [memoryFiles(), noting()];
    const { text, path = '' } = await seen({ files, store, tools: [returning(long)] });
    expect(text.startsWith('line 0 of')).toBe(true);
    expect(text.endsWith('line 3999 of a long output')).toBe(true);
    expect(text).toContain(`a result of ${long.length} characters`);
    expect(text.length).toBeLessThan(long.length / 8);
    expect(text.indexOf('[This is') / (text.length - text.indexOf('read_result.]'))).toBeCloseTo(2, 0);
    expect(path).toMatch(/^\/results\/s\/call_1\.1\.[0-9a-f]{16}\.txt$/);
    expect(await inRun(files, async (run) => (await run.readText(path)).text)).toBe(long);
    expect(noted()).toContain(path);
    expect(noted()).not.toContain('line 2000 of');
    const { about, messages } = (await store.load('s')) ?? {};
    expect(about?.files).toEqual(['/.shallot/results/s/']);
    expect(messages?.map((message) => keptFilesOf(message as ToolMessage))).toContainEqual([path]);
  });

  it('is measured by the context of the model: a twentieth, and 10,000 tokens at most', async () => {
    const text = 'word '.repeat(2000);
    const model = (contextTokens: number) => scriptedModel([call(), { text: 'Done.' }], { contextTokens });
    const run = async (contextTokens: number) => {
      const agent = await createAgent({
        model: model(contextTokens),
        tools: [returning(text)],
        log: 'silent',
      });
      return textOf((await agent.run('Go')).messages[2] ?? never());
    };
    expect(await run(100_000)).toBe(text);
    expect(await run(16_000)).toMatch(shown);
  });

  it('is measured by the agent where that says so, unless the tool does', async () => {
    const text = 'word '.repeat(2000);
    const limited = { maxResultTokens: 500 };
    expect((await seen({ ...limited, tools: [returning(text)] })).path).toMatch(shown);
    expect((await seen({ ...limited, tools: [returning(text, { maxResultTokens: 5000 })] })).text).toBe(text);
    const many = 'word '.repeat(20_000);
    expect((await seen({ maxResultTokens: Infinity, tools: [returning(many)] })).text).toBe(many);
    const see = defineTool({
      name: 'look',
      description: 'Sees.',
      input: { type: 'object' },
      execute: (_, { maxResultTokens }) => `${maxResultTokens}`,
    });
    expect((await seen({ ...limited, tools: [see] })).text).toBe('500');
  });

  it('that is JSON is written with lines, and has no data', async () => {
    const files = memoryFiles();
    const rows = Array.from({ length: 4000 }, (_, id) => ({ id, name: `row ${id}` }));
    const { path = '', messages } = await seen({ files, tools: [returning(rows)] });
    expect(path).toMatch(/\.json$/);
    const { text } = await inRun(files, async (run) => run.readText(path));
    expect(JSON.parse(text)).toEqual(rows);
    expect(text.split('\n').length).toBeGreaterThan(4000);
    expect(messages.find(({ role }) => role === 'tool')).not.toHaveProperty('data');
  });

  it('that is a text stays one, and keeps data that is small', async () => {
    const files = memoryFiles();
    const output = { content: [textPart(long)], data: { exitCode: 1 } };
    const { path = '', messages } = await seen({ files, tools: [returning(output)] });
    expect(path).toMatch(/\.txt$/);
    expect((await inRun(files, async (run) => run.readText(path))).text).toBe(long);
    expect(messages.find(({ role }) => role === 'tool')).toMatchObject({ data: { exitCode: 1 } });
    const rows = Array.from({ length: 4000 }, (_, id) => ({ id }));
    const large = await seen({ tools: [returning({ ...output, data: rows })] });
    expect(large.messages.find(({ role }) => role === 'tool')).not.toHaveProperty('data');
  });

  it('of which its tool has left a part out is never called all of it', async () => {
    const files = memoryFiles();
    const output = cutResult({ content: [textPart(long)] });
    const { path = '', text } = await seen({ files, tools: [returning(output)] });
    expect(text).toContain(
      `a result of ${long.length} characters of which look had left a part out. It is, without that part, in the file ${path}: `,
    );
    expect(text).not.toContain('All of it');
    expect((await inRun(files, async (run) => run.readText(path))).text).toBe(long);
  });

  it('is seen in short by gates and layers, and passes the taps on results first', async () => {
    const lengths: number[] = [];
    const watcher = definePlugin({
      name: 'watcher',
      setup({ hooks }) {
        hooks.wrapToolCall.tap({ name: 'clean', result: true }, (result) => ({
          content: result.content.map((part) =>
            part.type === 'text' ? textPart(part.text.replaceAll('line', 'LINE')) : part,
          ),
        }));
        for (const gate of [true, false])
          hooks.wrapToolCall.tap({ name: `gate ${gate}`, gate }, async (passed, next) => {
            const result = await next(passed);
            lengths.push(textOf({ role: 'tool', content: result.content }).length);
            return result;
          });
      },
    })();
    const [files, { store, noted }] = [memoryFiles(), noting()];
    const { path = '' } = await seen({ files, store, tools: [returning(long)], plugins: [watcher] });
    expect(lengths.length).toBe(2);
    expect(Math.max(...lengths)).toBeLessThan(long.length / 8);
    expect((await inRun(files, async (run) => run.readText(path))).text).toBe(
      long.replaceAll('line', 'LINE'),
    );
    expect(noted()).not.toContain('line 0');
  });

  it.each([
    ['whose tool takes more', returning(long, { maxResultTokens: Infinity })],
    ['that is the answer of the run', returning(long, { returnDirectly: true })],
    ['that lasts', returning(lastingResult({ content: [textPart(long)] }))],
  ])('%s stays whole', async (_, tool) => {
    const model = scriptedModel([call(), { text: 'Done.' }]);
    const agent = await createAgent({ model, tools: [tool], log: 'silent' });
    const { messages } = await agent.run('Go');
    expect(textOf(messages[2] ?? never())).toBe(long);
  });

  it('whose tool takes less is shorter', async () => {
    const { text } = await seen({ tools: [returning('tea '.repeat(300), { maxResultTokens: 100 })] });
    expect(text).toMatch(shown);
    expect(text.length).toBeLessThan(500);
  });

  it.each([0, -1, Number.NaN])('is not limited to %s tokens', (maxResultTokens) => {
    expect(() => returning('', { maxResultTokens })).toThrow(/maxResultTokens is .*write a number/);
  });

  it('that is an error stays one', async () => {
    const failing = returning('', {
      execute: () => {
        throw new Error(long);
      },
    });
    const { messages, path } = await seen({ tools: [failing] });
    expect(path).toBeDefined();
    expect(messages.find(({ role }) => role === 'tool')).toMatchObject({ isError: true });
  });

  it('of two calls is two files, however equal', async () => {
    const files = memoryFiles();
    const model = scriptedModel([{ toolCalls: [{ name: 'look' }, { name: 'look' }] }, { text: 'Done.' }]);
    const store = memoryStore();
    const agent = await createAgent({ model, files, store, tools: [returning(long)], log: 'silent' });
    await agent.run('Go', { sessionId: 's' });
    expect((await files.list('/.shallot/results/s')).length).toBe(2);
    expect((await store.load('s'))?.about?.files).toEqual(['/.shallot/results/s/']);
  });

  it('is cut, and says so, if it cannot be written', async () => {
    const full: Files = { ...memoryFiles(), write: () => Promise.reject(new Error('the disk is full')) };
    const { text, path, warnings } = await seen({ files: full, tools: [returning(long)] });
    expect(path).toBeUndefined();
    expect(text).toMatch(
      /^line 0 [^]+The rest is lost, because it could not be kept: the disk is full\][^]+line 3999/,
    );
    expect(warnings).toEqual(['RESULT_NOT_KEPT']);
  });

  it('of more than 8 MB is kept in its beginning', async () => {
    const files = memoryFiles();
    const { text, path = '' } = await seen({ files, tools: [returning('tea\n'.repeat(3_000_000))] });
    expect(text).toContain('The first 8388608 bytes of it are in the file');
    expect((await inRun(files, async (run) => run.stat(path)))?.size).toBe(8 * 1024 * 1024);
  });

  it('of more than 8 MB is readable also if the limit falls into a character', async () => {
    const files = memoryFiles();
    const { text, path = '' } = await seen({ files, tools: [returning('€'.repeat(3_000_000))] });
    expect(text).toContain('The first 8388606 bytes of it are in the file');
    expect((await inRun(files, async (run) => run.readText(path)))?.text).toBe('€'.repeat(2_796_202));
  });

  it('is removed with its session', async () => {
    const [files, store] = [memoryFiles(), memoryStore()];
    const model = scriptedModel([call(), { text: 'Done.' }]);
    const agent = await createAgent({ model, files, store, tools: [returning(long)], log: 'silent' });
    await agent.run('Go', { sessionId: 's' });
    expect(await agent.deleteSession('s')).toMatchObject({ removed: ['/.shallot/results/s/'], left: [] });
    expect(await files.list('/', { recursive: true })).toEqual([]);
  });

  it.each(['memory', 'disk'])('is read in a fork after its session is gone, in files of %s', async (kind) => {
    const files =
      kind === 'memory' ? memoryFiles() : diskFiles(await mkdtemp(join(tmpdir(), 'shallot-fork-')));
    const store = memoryStore();
    const model = scriptedModel([
      call(),
      { text: 'Done.' },
      ({ messages }) =>
        call('read_result', { path: shown.exec(messages.map(textOf).join())?.[0], find: 'line 2000 ' }),
      { text: 'Read.' },
    ]);
    const agent = await createAgent({ model, files, store, tools: [returning(long)], log: 'silent' });
    await agent.run('Go', { sessionId: 's' });
    await agent.forkSession('s', { as: 'fork' });
    await agent.deleteSession('s');
    const { messages } = await agent.run('What of line 2000?', { sessionId: 'fork' });
    expect(textOf(messages.at(-2) ?? never())).toContain('line 2000 of a long output');
    expect(await agent.deleteSession('fork')).toMatchObject({
      removed: ['/.shallot/results/fork/'],
      left: [],
    });
    await agent.close();
  });
});

describe('files of a result', () => {
  const picture = (bytes: number) => ({
    type: 'file' as const,
    mediaType: 'image/png',
    data: Buffer.alloc(bytes, 1).toString('base64'),
  });

  it('beyond the tenth are kept as files of the session', async () => {
    const files = memoryFiles();
    const { messages, text } = await seen({
      files,
      tools: [returning({ content: [textPart('shots'), ...Array.from({ length: 12 }, () => picture(10))] })],
    });
    const result = messages.find(({ role }) => role === 'tool');
    expect(result?.content.map(({ type }) => type)).toEqual(['text', ...Array<string>(10).fill('file')]);
    const paths = text.match(new RegExp(shown, 'g')) ?? [];
    expect(paths.length).toBe(2);
    expect(await inRun(files, async (run) => (await run.read(paths[0] ?? '')).bytes.length)).toBe(10);
  });

  it('beyond four megabytes are kept as files of the session', async () => {
    const { text, path } = await seen({ tools: [returning({ content: [picture(3e6), picture(3e6)] })] });
    expect(text).toContain('(image/png, 3000000 bytes) is left out here');
    expect(path).toMatch(/\.png$/);
  });

  it('beyond eight megabytes are lost, which is said', async () => {
    const { text, path } = await seen({ tools: [returning({ content: [picture(9e6)] })] });
    expect(path).toBeUndefined();
    expect(text).toContain('is lost, because it could not be kept: at most 8388608 bytes');
  });
});

describe('the files of a run', () => {
  it('show results for reading only, and hide nothing of a project', async () => {
    const root = await mkdtemp(join(tmpdir(), 'results-'));
    const files = diskFiles(root);
    await files.write('/results/s/of-my-own.txt', 'mine');
    const { path = '' } = await seen({ files, store: memoryStore(), tools: [returning(long)] });
    expect(await readdir(join(root, '.shallot', 'results', 's'))).toEqual([path.split('/').at(-1)]);
    await inRun(files, async (run) => {
      expect((await run.readText('/results/s/of-my-own.txt')).text).toBe('mine');
      expect((await run.read(path, { start: 5, length: 3 })).bytes).toEqual(Buffer.from('0 o'));
      for (const change of [run.write(path, ''), run.append(path, ''), run.remove(path)])
        await expect(change).rejects.toMatchObject({ code: 'FILE_PROTECTED' });
      await expect(run.readText(`/.shallot${path}`)).rejects.toMatchObject({ code: 'FILE_PROTECTED' });
      const gone = path.replace('call_1', 'call_9');
      await expect(run.readText(gone)).rejects.toThrow(`There is no file "${gone}"`);
      const out = path.replace('/s/', '/../');
      await expect(run.readText(out)).rejects.toMatchObject({ code: 'FILE_PATH' });
    });
  });
});

describe('read_result', () => {
  it('is offered from the first kept result on, and reads it page by page', async () => {
    const files = memoryFiles();
    let path = '';
    const texts: string[] = [];
    const lastText = (request: { messages: readonly Message[] }): string =>
      textOf(request.messages.at(-1) ?? never());
    const model = scriptedModel([
      call(),
      (request) => {
        path = shown.exec(lastText(request))?.[0] ?? '';
        return call('read_result', { path });
      },
      (request) => {
        texts.push(lastText(request));
        return call('read_result', { path, offset: 20_000, find: 'line 3000 of' });
      },
      (request) => {
        texts.push(lastText(request));
        return call('read_result', { path: '/.shallot/results/s/x' });
      },
      (request) => {
        texts.push(lastText(request));
        return { text: 'Done.' };
      },
    ]);
    const agent = await createAgent({ model, files, tools: [returning(long)], log: 'silent' });
    await agent.run('Go', { sessionId: 's' });
    expect(model.requests.map(({ tools }) => tools?.map(({ name }) => name).join())).toEqual([
      'look',
      ...Array<string>(4).fill('look,read_result'),
    ]);
    expect(texts[0]).toBe(
      `${long.slice(0, 20_000)}\n[Characters 0 to 20000 of ${long.length} are shown. Call read_result with offset 20000 for what follows.]`,
    );
    expect(texts[1]).toMatch(/^line 3000 of/);
    expect(texts[2]).toContain('is not the path of a kept result');
  });

  it('is not offered where a tool reads files', async () => {
    const model = scriptedModel([call(), { text: 'Done.' }]);
    const open = defineTool({ ...returning(''), name: 'open', input: { type: 'object' }, readsFiles: true });
    const agent = await createAgent({ model, tools: [returning(long), open], log: 'silent' });
    const { messages } = await agent.run('Go', { sessionId: 's' });
    expect(textOf(messages[2] ?? never())).toContain('read it with open.]');
    expect(model.requests[1]?.tools?.map(({ name }) => name)).toEqual(['look', 'open']);
  });
});

it('names nothing that is not there, wherever the process dies', async () => {
  let outcome = 'died';
  for (let alive = 1; outcome === 'died'; alive += 1) {
    const [inner, disk] = [memoryStore(), memoryFiles()];
    const death = Promise.withResolvers<string>();
    let left = alive;
    const live = async <T>(work: () => Promise<T>): Promise<T> => {
      if ((left -= 1) >= 0) return work();
      death.resolve('died');
      return new Promise<never>(() => {});
    };
    const store: Store = { ...inner, commit: async (...args) => live(async () => inner.commit(...args)) };
    const files: Files = { ...disk, write: async (...args) => live(async () => disk.write(...args)) };
    const agent = await createAgent({
      model: scriptedModel([call(), call(), { text: 'Done.' }]),
      store,
      files,
      tools: [returning(long, { effect: 'read' })],
      log: 'silent',
    });
    const running = agent.run('Go', { sessionId: 's' }).then(() => 'ended');
    outcome = await Promise.race([running, death.promise]);
    const record = await inner.load('s');
    for (const [path] of JSON.stringify(record ?? {}).matchAll(new RegExp(shown, 'g')))
      expect(await inRun(disk, async (run) => (await run.readText(path)).text)).toBe(long);
  }
  expect(outcome).toBe('ended');
});

function never(): never {
  throw new Error('there is no such message');
}
