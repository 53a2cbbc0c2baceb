import { describe, expect, it } from 'vitest';

import { scriptedModel } from '../../../../testing/src/index.ts';
import { brief, errorOf, makeProject } from '../../../test/test-project.ts';
import { isShallotError } from '../../base/errors.ts';
import { memoryStore } from '../../sessions/stores/memory-store.ts';
import { followRun, submitRun } from '../../work.ts';
import { loadAgent } from '../load-agent.ts';
import { loadPluginOptions } from '../load-plugin-options.ts';

const globals = globalThis as { closed?: string[] };

/** A queue, or a files service, that says when it is closed. */
const closing = (name: string, methods: readonly string[]): string =>
  `globalThis.closed ??= [];
   export default ({ text = '' } = {}) => ({
     ${methods.map((method) => `${method}: async () => text,`).join('\n')}
     listen: async (handler) => { await handler(text); return async () => {}; },
     close: async () => void globalThis.closed.push('${name}'),
   });`;

const queue = closing('queue', ['wake']);
const files = closing('files', ['list', 'stat', 'read', 'readText', 'write', 'append', 'remove']);

describe('what a config says for workers', () => {
  it('makes the context of each run, and wakes by its queue', async () => {
    const project = makeProject({
      'shallot.config.yaml':
        'store: memory\ncontext: ./context.mjs\nqueue: { use: ./queue.mjs, options: { text: s } }\nplugins: [./teller.mjs]\n',
      'context.mjs':
        'export default async (sessionId, metadata) => ({ sessionId, user: metadata.user, told: [] });',
      'queue.mjs': queue,
      'teller.mjs': `
        const definition = { name: 'teller', setup({ hooks }) {
          hooks.beforeAgent.tap('teller', (run) => { (globalThis.told ??= []).push(run.context); }); } };
        const brand = Symbol.for('shallot.plugin');
        export default Object.assign((options) => Object.freeze({ [brand]: true, definition, options }), { definition });`,
    });
    const model = scriptedModel([{ text: 'Hi' }]);
    const { agent, store } = await loadAgent({ cwd: project.directory, model });
    const runId = await submitRun(store, 's', 'Hello', { metadata: { user: 'ann' } });
    const stopping = new AbortController();
    // Only the queue says what there is to do.
    const working = agent.work({ signal: stopping.signal, intervalMs: 1_000_000 });
    let end: unknown;
    for await (const event of followRun(store, 's', { intervalMs: 5 })) end = event;
    expect(end).toMatchObject({ type: 'run-end', runId, outcome: 'completed' });
    stopping.abort();
    await working;
    await agent.close();
    expect((globalThis as { told?: unknown }).told).toEqual([{ sessionId: 's', user: 'ann', told: [] }]);
  });

  it('blames the line of a context that throws', async () => {
    const project = makeProject({
      'shallot.config.yaml': 'store: memory\ncontext: ./context.mjs\n',
      'context.mjs': 'export default () => {\n  throw new Error("no such user");\n};\n',
    });
    const lines: string[] = [];
    const { agent, store } = await loadAgent({
      cwd: project.directory,
      model: scriptedModel([]),
      logStream: { write: (line: string) => void lines.push(line) },
    });
    await submitRun(store, 's', 'Hello');
    const stopping = new AbortController();
    const working = agent.work({ signal: stopping.signal, retryPauseMs: 0, intervalMs: 1 });
    let end: unknown;
    for await (const event of followRun(store, 's', { intervalMs: 5 })) end = event;
    expect(end).toMatchObject({ outcome: 'failed', failure: { code: 'CONTEXT_FAILED' } });
    expect(lines.join('')).toContain(
      `no such user (thrown by its function). (${project.directory}/context.mjs:2:9)`,
    );
    stopping.abort();
    await working;
    await agent.close();
  });

  it('says how long sessions are kept', async () => {
    const project = makeProject({ 'shallot.config.yaml': 'keep: { completed: 30d }\n' });
    const { takeDuty: _, ...store } = memoryStore();
    const { agent } = await loadAgent({ cwd: project.directory, model: scriptedModel([]), store });
    await expect(agent.work()).rejects.toThrow('it has no `takeDuty`');
    await agent.close();
    const wrong = makeProject({ 'shallot.config.yaml': 'keep: { running: 30d, completed: soon }\n' });
    const error = await errorOf(loadAgent({ cwd: wrong.directory, model: scriptedModel([]) }));
    expect(brief(wrong, error).join('\n')).toMatch(/running[^]*a number with h, d or w/);
  });

  it('is closed with the agent, as are files', async () => {
    const project = makeProject({
      'shallot.config.yaml': 'queue: ./queue.mjs\nfiles: { use: ./files.mjs, options: { text: kept } }\n',
      'queue.mjs': queue,
      'files.mjs': files,
    });
    const { agent } = await loadAgent({ cwd: project.directory, model: scriptedModel([]) });
    globals.closed = [];
    await agent.close();
    expect(globals.closed.toSorted()).toEqual(['files', 'queue']);
    const { files: opened } = await loadPluginOptions('skills', { cwd: project.directory });
    expect(await opened.readText('/x')).toBe('kept');
  });

  it('is not looked for when a program gives it', async () => {
    const project = makeProject({ 'shallot.config.yaml': 'queue: ./nowhere.mjs\ncontext: ./nowhere.mjs\n' });
    const { agent } = await loadAgent({ cwd: project.directory, model: scriptedModel([]), work: {} });
    await expect(agent.close()).resolves.toBeUndefined();
  });

  it('is refused with its place', async () => {
    const project = makeProject({
      'shallot.config.yaml':
        'context: ./context.mjs\nqueue: { use: ./queue.mjs }\nfiles: { use: ./context.mjs }\n',
      'context.mjs': 'export const context = 5;',
      'queue.mjs': 'export default () => ({ wake() {} });',
    });
    const error = await errorOf(loadAgent({ cwd: project.directory, model: scriptedModel([]) }));
    expect(brief(project, error).toSorted()).toEqual([
      expect.stringMatching(
        /^MODULE_INVALID shallot\.config\.yaml:1:10 context\.mjs makes no context: it exports .*"?context/,
      ),
      expect.stringMatching(/^MODULE_INVALID shallot\.config\.yaml:2:8 queue\.mjs provides no queue: /),
      expect.stringMatching(/^MODULE_INVALID shallot\.config\.yaml:3:8 .* must be a files service, or a /),
    ]);
  });

  it('is proposed to be installed from where it is known to be', async () => {
    const project = makeProject({
      'shallot.config.yaml': "queue: '@shallot/store-postgres/queue'\n",
      'package.json': '{}',
    });
    const error = await errorOf(loadAgent({ cwd: project.directory, model: scriptedModel([]) }));
    expect(isShallotError(error, 'MODULE_NOT_FOUND') && error.message).toMatch(
      /Run: npm install @shallot\/store-postgres$/,
    );
  });
});
