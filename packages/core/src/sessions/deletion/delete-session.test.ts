import { describe, expect, it, vi } from 'vitest';

import { scriptedModel } from '../../../../testing/src/index.ts';
import type { AgentOptions } from '../../contract/agent-options.ts';
import type { DeletedSession } from '../../contract/plugin.ts';
import type { Store } from '../../contract/store.ts';
import { memoryFiles, type Files } from '../../files/index.ts';
import {
  createAgent,
  defineTool,
  definePlugin,
  deleteSession,
  memoryStore,
  ShallotError,
  type Agent,
} from '../../index.ts';
import { forgetfulStore } from '../stores/forgetful-store.ts';

/** Writes a file and a folder for each session, before each answer. */
const diary = definePlugin({
  name: 'diary',
  setup({ hooks, sessionPath }) {
    const notes = sessionPath({ directory: '/diaries', extension: '.md' });
    const pages = sessionPath({ directory: '/pages' });
    hooks.beforeModel.tap('write', async (_request, run) => {
      await run.files.append(await notes(run), 'Dear diary\n');
      await run.files.write(`${await pages(run)}deep/${run.step}`, 'page');
    });
  },
})();

async function start(options: Partial<AgentOptions> = {}): Promise<Agent> {
  const agent = await createAgent({
    model: scriptedModel(Array.from({ length: 9 }, () => ({ text: 'tea' }))),
    plugins: [diary],
    store: memoryStore(),
    log: 'silent',
    ...options,
  });
  return agent;
}

async function pathsIn(files: Files): Promise<readonly string[]> {
  const listed = await files.list('/', { recursive: true });
  return listed.filter(({ kind }) => kind === 'file').map(({ path }) => path);
}

const noted = ['/diaries/ada.md', '/pages/ada/'];

describe('agent.deleteSession', () => {
  it('removes what plugins have written for the session alone', async () => {
    const [files, store] = [memoryFiles(), memoryStore()];
    const agent = await start({ files, store });
    for (const sessionId of ['ada', 'bob', 'ada']) await agent.run('hello', { sessionId });
    expect((await store.load('ada'))?.about).toEqual({ files: noted });
    expect(await agent.deleteSession('ada')).toEqual({ removed: noted, left: [], errors: [] });
    expect(await store.load('ada')).toBeUndefined();
    expect(await pathsIn(files)).toEqual(['/diaries/bob.md', '/pages/bob/deep/1']);
  });

  it('notes a file before anything is written there, once', async () => {
    const store = memoryStore();
    const files = memoryFiles();
    const seen: unknown[] = [];
    const watching: Files = {
      ...files,
      async append(path, data) {
        seen.push((await store.load('ada'))?.about?.files);
        return files.append(path, data);
      },
    };
    const agent = await start({ files: watching, store });
    for (let run = 0; run < 2; run += 1) await agent.run('hello', { sessionId: 'ada' });
    expect(seen).toEqual([noted.slice(0, 1), noted]);
  });

  it('counts a file that is gone already as removed', async () => {
    const files = memoryFiles();
    const agent = await start({ files });
    await agent.run('hello', { sessionId: 'ada' });
    await files.remove('/diaries/ada.md');
    await files.remove('/pages/ada/', { recursive: true });
    expect(await agent.deleteSession('ada')).toMatchObject({ removed: noted, errors: [] });
  });

  it('keeps the session while one of its files cannot be removed, and can be repeated', async () => {
    const files = memoryFiles();
    let isStuck = true;
    const stuck: Files = {
      ...files,
      remove: async (path, options) => {
        if (isStuck && path.startsWith('/diaries')) throw new Error('the disk is read-only');
        return files.remove(path, options);
      },
    };
    const agent = await start({ files: stuck });
    await agent.run('hello', { sessionId: 'ada' });
    await expect(agent.deleteSession('ada')).rejects.toMatchObject({
      code: 'SESSION_FILES_LEFT',
      message: expect.stringMatching(/\/diaries\/ada\.md .*the disk is read-only/) as string,
    });
    expect(await agent.session('ada')).toMatchObject({ status: 'completed' });
    expect(await agent.run('again', { sessionId: 'ada' })).toMatchObject({ text: 'tea' });
    isStuck = false;
    expect(await agent.deleteSession('ada')).toMatchObject({ removed: noted });
    expect(await pathsIn(files)).toEqual([]);
  });

  it('leaves files alone that a foreign record names, and reports them', async () => {
    const [files, store] = [memoryFiles(), memoryStore()];
    await files.write('/package.json', '{}');
    await files.write('/src/index.ts', 'code');
    const about = { files: ['/package.json', '/src/', '/diaries/../src/', 7 as never] };
    await store.commit('package', 0, { about });
    const lines: string[] = [];
    const logStream = { write: (line: string) => void lines.push(line) };
    const agent = await start({ files, store, log: 'warn', logStream });
    const deletion = await agent.deleteSession('package');
    expect(deletion).toMatchObject({
      removed: [],
      left: ['/package.json', '/src/', '/diaries/../src/', '7'],
    });
    expect(deletion?.errors.map(({ code }) => code)).toEqual(Array(4).fill('SESSION_FILES_LEFT'));
    expect(lines.join('')).toContain('/package.json stays');
    expect(await pathsIn(files)).toEqual(['/package.json', '/src/index.ts']);
  });

  it('uses the files of the context that it gets', async () => {
    const byUser: Record<string, Files> = { ann: memoryFiles(), bob: memoryFiles() };
    const agent = await start({
      files: ({ context }) => {
        const files = byUser[String((context as { readonly user?: string } | undefined)?.user)];
        if (files === undefined) throw new Error('whose files?');
        return files;
      },
    });
    await agent.run('hello', { sessionId: 'ada', context: { user: 'ann' } });
    await expect(agent.deleteSession('ada')).rejects.toThrow('whose files?');
    expect(await agent.deleteSession('ada', { context: { user: 'ann' } })).toMatchObject({ removed: noted });
    expect(await pathsIn(byUser['ann'] ?? memoryFiles())).toEqual([]);
  });

  it('refuses another revision than the one that was seen, and removes nothing', async () => {
    const [files, store] = [memoryFiles(), memoryStore()];
    const agent = await start({ files, store });
    await agent.run('hello', { sessionId: 'ada' });
    const { revision = 0 } = (await store.load('ada')) ?? {};
    await agent.run('again', { sessionId: 'ada' });
    await expect(agent.deleteSession('ada', { ifRevision: revision })).rejects.toMatchObject({
      code: 'STORE_CONFLICT',
    });
    expect(await pathsIn(files)).toEqual(['/diaries/ada.md', '/pages/ada/deep/1']);
  });

  it('tells plugins, and reports those that throw or never settle by name', async () => {
    const heard: string[] = [];
    const hearing = (name: string, fail?: () => void | Promise<void>) =>
      definePlugin({
        name,
        setup({ onDeleteSession }) {
          onDeleteSession(async ({ sessionId, files }: DeletedSession) => {
            heard.push(`${name} ${sessionId} ${(await pathsIn(files)).length}`);
            await fail?.();
          });
        },
      })();
    const store = memoryStore();
    const plugins = [
      diary,
      hearing('thrower', () => {
        throw new Error('no network');
      }),
      hearing('sleeper', () => new Promise<void>(() => {})),
      hearing('last'),
    ];
    const agent = await start({ store, plugins, startTimeoutMs: 20 });
    await agent.run('hello', { sessionId: 'ada' });
    await store.commit('bare', 0, {});
    const deletion = await agent.deleteSession('ada');
    expect(heard).toEqual(['thrower ada 0', 'sleeper ada 0', 'last ada 0']);
    expect(deletion?.errors.map(({ code, plugin }) => [code, plugin])).toEqual([
      ['PLUGIN_DELETION_FAILED', 'thrower'],
      ['PLUGIN_DELETION_FAILED', 'sleeper'],
    ]);
    expect(await store.load('ada')).toBeUndefined();
    await agent.deleteSession('bare');
    expect(heard).toContain('last bare 0');
    expect(await agent.deleteSession('none')).toBeUndefined();
    expect(heard.join()).not.toContain('none');
  });

  it('is repeated after a process died in the middle of it', async () => {
    const [files, inner] = [memoryFiles(), memoryStore()];
    let isDead = false;
    const store: Store = {
      ...inner,
      commit: async (...args) => (isDead ? Promise.reject(new Error('dead')) : inner.commit(...args)),
      delete: async (...args) => {
        if (isDead) throw new Error('dead');
        return inner.delete(...args);
      },
    };
    const dying: Files = {
      ...files,
      remove: async (path, options) => {
        isDead = true;
        return files.remove(path, options);
      },
    };
    const agent = await start({ files: dying, store });
    await agent.run('hello', { sessionId: 'ada' });
    await expect(agent.deleteSession('ada')).rejects.toThrow('dead');
    const other = await start({ files, store: inner });
    expect(await other.session('ada')).toMatchObject({ status: 'completed' });
    expect(await other.deleteSession('ada')).toMatchObject({ removed: noted });
    expect(await inner.load('ada')).toBeUndefined();
  });
});

describe('deleteSession', () => {
  it('says what stays without files, and what no plugin vouches for', async () => {
    const [files, store] = [memoryFiles(), memoryStore()];
    const agent = await start({ files, store });
    for (const sessionId of ['ada', 'bob']) await agent.run('hello', { sessionId });
    const blind = await deleteSession(store, 'ada');
    expect(blind).toMatchObject({ removed: [], left: noted });
    expect(blind?.errors[0]?.message).toContain('/diaries/ada.md stays');
    const seeing = await deleteSession(store, 'bob', { files });
    expect(seeing).toMatchObject({ removed: [], left: ['/diaries/bob.md', '/pages/bob/'] });
    expect((await pathsIn(files)).length).toBe(4);
  });

  it('removes what is in a directory for sessions without any plugin', async () => {
    const [files, store] = [memoryFiles(), memoryStore()];
    await files.write('/conversation_history/ada.md', 'text');
    await store.commit('ada', 0, { about: { files: ['/conversation_history/ada.md'] } });
    expect(await deleteSession(store, 'ada', { files })).toMatchObject({ left: [] });
    expect(await pathsIn(files)).toEqual([]);
  });

  it('says of a damaged session that its files are unknown', async () => {
    const inner = memoryStore();
    await inner.commit('ada', 0, {});
    const store: Store = {
      ...inner,
      load: () => Promise.reject(new ShallotError('STORE_DAMAGED', { message: 'broken' })),
      async *list(filter) {
        for await (const summary of inner.list(filter)) yield { ...summary, damaged: true };
      },
    };
    // Nobody can say whose it is, or which revision it has.
    await expect(deleteSession(store, 'ada', { owner: 'bob' })).rejects.toMatchObject({
      code: 'SESSION_OF_ANOTHER',
    });
    await expect(deleteSession(store, 'ada', { ifRevision: 99 })).rejects.toMatchObject({
      code: 'STORE_CONFLICT',
    });
    const deletion = await deleteSession(store, 'ada', { files: memoryFiles() });
    expect(deletion?.errors).toMatchObject([{ code: 'SESSION_FILES_LEFT' }]);
    expect(await inner.load('ada')).toBeUndefined();
  });

  it('removes the files of a damaged session as far as it can be listed', async () => {
    const [files, inner] = [memoryFiles(), memoryStore()];
    await files.write('/conversation_history/ada.md', 'text');
    await inner.commit('ada', 0, { about: { files: ['/conversation_history/ada.md'] } });
    const broken = new ShallotError('STORE_DAMAGED', { message: 'a message is broken' });
    const store: Store = { ...inner, load: () => Promise.reject(broken) };
    expect(await deleteSession(store, 'ada', { files })).toMatchObject({ left: [], errors: [] });
    expect(await pathsIn(files)).toEqual([]);
  });
});

describe('a session that the store discards', () => {
  it('takes its files with it before the run resolves', async () => {
    const files = memoryFiles();
    const heard: string[] = [];
    const hearing = definePlugin({
      name: 'hearing',
      setup: ({ onDeleteSession }) => onDeleteSession(({ sessionId }) => void heard.push(sessionId)),
    })();
    const agent = await start({ files, store: forgetfulStore(), plugins: [diary, hearing] });
    const { sessionId } = await agent.run('hello');
    expect(await pathsIn(files)).toEqual([]);
    expect(heard).toEqual([sessionId]);
  });

  it('keeps them as long as the run can be resumed', async () => {
    const files = memoryFiles();
    const ask = defineTool({
      name: 'ask',
      description: 'Asks.',
      input: { type: 'object' },
      execute: async (_, { interrupt }) =>
        interrupt({ kind: 'question', payload: 'Tea?', answer: { type: 'string' } }),
    });
    const model = scriptedModel([{ toolCalls: [{ name: 'ask', args: {} }] }, { text: 'done' }]);
    const agent = await start({ files, store: forgetfulStore(), model, tools: [ask] });
    const { sessionId, interrupts } = await agent.run('hello');
    expect((await pathsIn(files)).length).toBe(2);
    await agent.resume(sessionId, { [interrupts[0]?.id ?? '']: 'yes' });
    expect(await pathsIn(files)).toEqual([]);
  });

  it('reports what cannot be removed', async () => {
    const files = memoryFiles();
    const lines: string[] = [];
    const stuck: Files = { ...files, remove: () => Promise.reject(new Error('read-only')) };
    const logStream = { write: (line: string) => void lines.push(line) };
    const agent = await start({ files: stuck, store: forgetfulStore(), log: 'warn', logStream });
    await agent.run('hello');
    await vi.waitFor(() =>
      expect(lines.join('')).toMatch(/\/diaries\/anonymous.* could not be removed: read-only/),
    );
  });
});

describe('a session path', () => {
  it('is noted from every hook, with the input of the run kept once', async () => {
    const everywhere = definePlugin({
      name: 'everywhere',
      setup({ hooks, sessionPath }) {
        const [a, b, c] = ['/a', '/b', '/c'].map((directory) => sessionPath({ directory }));
        hooks.beforeAgent.tap('a', async (run) => void (await a?.(run)));
        hooks.wrapModelCall.tap('b', async (request, next, { run }) => {
          await b?.(run);
          return next(request);
        });
        hooks.afterAgent.tap('c', async (_result, run) => void (await c?.(run)));
      },
    })();
    const store = memoryStore();
    const agent = await start({ plugins: [everywhere], store });
    await agent.run('hello', { sessionId: 'ada' });
    const record = await store.load('ada');
    expect(record?.about).toEqual({ files: ['/a/ada/', '/b/ada/', '/c/ada/'] });
    expect(record?.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect(record?.run).toMatchObject({ status: 'completed' });
  });

  it.each([
    [{ directory: 'notes' }, 'Write an absolute path'],
    [{ directory: '/a/../b' }, 'Write an absolute path'],
    [{ directory: '/notes', extension: 'md' }, 'Write a dot'],
    [{ directory: '/notes', extension: '.tar.gz' }, 'Write a dot'],
  ])('is refused for %j', async (place, message) => {
    const bad = definePlugin({ name: 'bad', setup: ({ sessionPath }) => void sessionPath(place) })();
    await expect(start({ plugins: [bad] })).rejects.toMatchObject({
      code: 'OPTION_INVALID',
      message: expect.stringContaining(message) as string,
    });
  });

  it('is refused when the notes of a session become too large, before anything is written', async () => {
    const many = definePlugin({
      name: 'many',
      setup({ hooks, sessionPath }) {
        const paths = Array.from({ length: 40 }, (_, index) =>
          sessionPath({ directory: `/a/rather/long/directory/${index}` }),
        );
        hooks.beforeModel.tap('write', async (_request, run) => {
          for (const path of paths) await run.files.write(`${await path(run)}x`, 'x');
        });
      },
    })();
    const [files, store] = [memoryFiles(), memoryStore()];
    const agent = await start({ plugins: [many], files, store });
    await expect(agent.run('hello', { sessionId: 'ada' })).rejects.toMatchObject({
      message: expect.stringContaining('Use one folder for several files') as string,
    });
    const { about } = (await store.load('ada')) ?? {};
    expect(JSON.stringify(about).length).toBeLessThan(1024);
    expect((await pathsIn(files)).length).toBe(about?.files?.length);
  });
});
