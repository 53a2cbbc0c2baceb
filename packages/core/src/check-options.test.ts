import { expect, it } from 'vitest';

import { scriptedModel } from '../../testing/src/scripted-model.ts';
import { checkRunOptions, noOptions, partsOf } from './check-options.ts';
import type { AgentOptions } from './contract/agent-options.ts';
import { definePlugin } from './contract/define-plugin.ts';
import { createAgent } from './create-agent.ts';
import type { Files } from './files/files.ts';
import { memoryFiles } from './files/memory-files.ts';
import { sharedSessions } from './sessions/live/session-cache.ts';

const model = scriptedModel([]);
const run = { id: 'run_1', sessionId: 's', agent: 'a', context: undefined };

it.each<[string, object]>([
  ['a model without generate', { model: { id: 'a/b' } }],
  ['no model', { model: undefined }],
  ['tools that are no list', { model, tools: {} }],
  ['plugins that are no list', { model, plugins: 'memory' }],
  ['a store without commit', { model, store: { load() {} } }],
  ['files without readText', { model, files: { read() {} } }],
  ['a level that is none', { model, log: 'loud' }],
  ['a logger without child', { model, log: { info() {} } }],
  ['permission files that are no object', { model, permissionFiles: 'a' }],
  ['a stream without write', { model, logStream: {} }],
  ['redactions that are no object', { model, redact: true }],
  ['a counter that is no function', { model, countTokens: 1 }],
  ['work that is no object', { model, work: 8 }],
  ['a callback that is none', { model, onClose: true }],
  ['an unknown option', { model, plugin: [] }],
])('an agent with %s is refused', (_, options) => {
  expect(() => partsOf(options as AgentOptions)).toThrow(
    expect.objectContaining({ code: 'OPTION_INVALID' }) as Error,
  );
});

it.each<[string, unknown]>([
  ['sessionId', ''],
  ['signal', {}],
  ['output', 'string'],
  ['output', null],
  ['abandon', 'yes'],
  ['takeOver', 1],
  ['session', 's'],
])('a run with %s: %j is refused', (key, value) => {
  expect(() => checkRunOptions({ [key]: value })).toThrow(
    expect.objectContaining({ code: 'OPTION_INVALID' }) as Error,
  );
});

it('a run may have all of its options, and any context', () => {
  const { signal } = new AbortController();
  const arktype = Object.assign(() => undefined, { '~standard': {} });
  const check = (output: object) => (): void =>
    checkRunOptions({
      sessionId: 's',
      context: Symbol('any'),
      signal,
      output,
      abandon: true,
      takeOver: false,
    });
  for (const output of [{ type: 'object' }, arktype]) expect(check(output)).not.toThrow();
  expect(() => checkRunOptions(noOptions)).not.toThrow();
});

it.each<[Partial<AgentOptions>, object | undefined]>([
  [{}, undefined],
  [{ name: 'billing' }, { id: 'billing' }],
  [{ id: 'acme/billing', name: 'Billing' }, { id: 'acme/billing' }],
  [
    { name: 'billing', version: '2' },
    { id: 'billing', version: '2' },
  ],
  [{ version: '2' }, undefined],
])('runs of an agent with %j are recorded as those of %j', (options, identity) => {
  expect(partsOf({ model, ...options }).identity).toStrictEqual(identity);
});

/** The files that plugins have outside of runs. */
async function filesOfPlugins(files: NonNullable<AgentOptions['files']>): Promise<Files | undefined> {
  let seen: Files | undefined;
  const looking = definePlugin({ name: 'looking', setup: ({ files: given }) => void (seen = given) });
  await using agent = await createAgent({ model, files, plugins: [looking()], log: 'silent' });
  expect(agent.plugins).toHaveLength(1);
  return seen;
}

it('plugins of an agent with files for each run have none outside of one', async () => {
  const own = memoryFiles();
  expect(partsOf({ model, files: () => own }).files(run)).toBe(own);
  const files = await filesOfPlugins(() => own);
  await expect(files?.readText('a')).rejects.toMatchObject({
    code: 'FILE_FAILED',
    message: expect.stringContaining('Use run.files.') as string,
  });
  expect(() => files?.root).toThrow('Use run.files.');
});

it('plugins of any other agent have the same files in and outside of runs', async () => {
  const own = memoryFiles();
  expect(partsOf({ model, files: own }).files(run)).toBe(own);
  await (await filesOfPlugins(own))?.write('/a', 'x');
  expect(await own.readText('/a')).toMatchObject({ text: 'x' });
});

it('an agent has a session cache of its own if it names its size', () => {
  expect(partsOf({ model }).sessionCache).toBe(sharedSessions);
  expect(partsOf({ model, sessionCacheBytes: 1000 }).sessionCache).not.toBe(sharedSessions);
});
