import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createAgent, defineTool, textOf, type JsonObject, type Message } from '@shallot/core';
import { diskFiles } from '@shallot/core/files';
import { scriptedModel, type ScriptedStep } from '@shallot/testing';
import { expect, it } from 'vitest';

import filesystem from './index.ts';

it('a large result is read back by read_file and grep, page by page, and is not changed', async () => {
  const output = Array.from({ length: 3000 }, (_, index) => `test ${index} passed`).join('\n');
  const test = defineTool({
    name: 'test',
    description: 'Tests.',
    input: { type: 'object' },
    execute: () => output,
  });
  let path = '';
  const call = (name: string, args: JsonObject = {}): ScriptedStep => ({ toolCalls: [{ name, args }] });
  const last = (messages: readonly Message[]): string => messages.slice(-1).map(textOf).join();
  const model = scriptedModel(
    [
      call('test'),
      ({ messages }) => {
        path = /\/results\/\S+\.txt/.exec(last(messages))?.[0] ?? '';
        return call('read_file', { path, offset: 1500 });
      },
      () => call('grep', { path, pattern: 'test 29[0-9]9' }),
      () => call('edit_file', { path, old_string: 'test 7 passed', new_string: 'x' }),
      () => call('write_file', { path, content: 'x' }),
      { text: 'Done.' },
    ],
    { contextTokens: 16_000 },
  );
  const files = diskFiles(await mkdtemp(join(tmpdir(), 'kept-')));
  await using agent = await createAgent({
    model,
    files,
    tools: [test],
    plugins: [filesystem()],
    log: 'silent',
  });
  const { messages } = await agent.run('Go', { sessionId: 's' });
  const [kept = '', page = '', found = '', ...refused] = messages
    .filter(({ role }) => role === 'tool')
    .map(textOf);
  expect(kept).toContain(`All of it is in the file ${path}: read it with read_file.]`);
  expect(page).toMatch(/^1500\ttest 1499 passed\n/);
  expect(page).toMatch(/Call read_file with offset 1\d{3} for the next ones\.\]$/);
  expect(page.length).toBeLessThan(6000);
  expect(found).toContain('2910: test 2909 passed');
  for (const text of refused) expect(text).toContain('is a result that its session keeps');
  expect(refused).toHaveLength(2);
  expect(model.requests.every(({ tools = [] }) => tools.every(({ name }) => name !== 'read_result'))).toBe(
    true,
  );
});
