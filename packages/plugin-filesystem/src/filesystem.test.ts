import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createAgent, type AgentEvent } from '@shallot/core';
import { diskFiles } from '@shallot/core/files';
import { scriptedModel, testPlugin } from '@shallot/testing';
import { describe, expect, it, onTestFinished } from 'vitest';

import { testTools } from '../test/tools.ts';
import { filesystem } from './index.ts';

await testPlugin(filesystem, {
  secondOptions: { prefix: 'other_' },
  manifest: new URL('../package.json', import.meta.url),
});

describe('the plugin filesystem', () => {
  const namesOf = async (options: Parameters<typeof filesystem>[0]) => {
    await using agent = await createAgent({ model: scriptedModel([]), plugins: [filesystem(options)] });
    return agent.tools.list().map(({ name, effect, kind }) => `${name} ${effect} ${kind}`);
  };

  it('offers its tools, each with what it is and whether it may be repeated', async () => {
    expect(await namesOf({})).toEqual([
      'ls read read',
      'read_file read read',
      'write_file idempotent edit',
      'edit_file write edit',
      'delete_file idempotent delete',
      'glob read search',
      'grep read search',
    ]);
  });

  it('offers those that the options want, under a prefix, and none that changes files when they are read only', async () => {
    expect(
      await namesOf({ tools: ['grep', 'read_file', 'grep', 'edit_file'], prefix: 'w_', readOnly: true }),
    ).toEqual(['w_grep read search', 'w_read_file read read']);
  });

  it('says which place a call touches', async () => {
    const args = { path: 'src//a.ts', offset: 7 };
    const model = scriptedModel([{ toolCalls: [{ name: 'read_file', args }] }, { text: 'Done.' }]);
    await using agent = await createAgent({ model, plugins: [filesystem()] });
    const starts: AgentEvent[] = [];
    for await (const event of agent.stream('Read.')) if (event.type === 'tool-start') starts.push(event);
    expect(starts).toMatchObject([
      { title: 'Read a file', kind: 'read', effect: 'read', locations: [{ path: '/src/a.ts', line: 7 }] },
    ]);
  });

  it('keeps what is protected out of reach of every tool, however it is spelled', async () => {
    const root = mkdtempSync(join(tmpdir(), 'shallot-files-'));
    onTestFinished(() => rmSync(root, { recursive: true }));
    const files = diskFiles(root);
    await files.write('/.shallot/sessions.db', 'secret', { own: true });
    await files.write('/a/.git/config', 'secret', { own: true });
    await using tools = await testTools({}, files);
    for (const path of [
      '/.shallot/sessions.db',
      '.shallot/./sessions.db',
      '//.SHALLOT//sessions.db',
      '/a/.git/config',
    ]) {
      for (const call of [
        () => tools.read({ path }),
        () => tools.write({ path, content: 'x' }),
        () => tools.edit({ path, old_string: 'secret', new_string: 'x' }),
        () => tools.remove({ path }),
        () => tools.grep({ pattern: 'secret', path }),
      ]) {
        expect(await call()).toMatchObject({
          isError: true,
          text: expect.stringContaining('is protected') as unknown,
        });
      }
    }
    expect((await tools.ls({ path: '/.shallot' })).text).toContain('is protected');
    expect((await tools.glob({ pattern: '**' })).text).toBe('[No file matches.]');
    expect((await files.readText('/.shallot/sessions.db', { own: true })).text).toBe('secret');
  });

  it.each([
    ['../x', 'leads out of the root'],
    ['/a/../../etc/passwd', 'leads out of the root'],
    ['/nul\0', 'contains a NUL'],
    [`/${'a'.repeat(300)}`, 'more than 255 bytes'],
    ['/', 'names a directory'],
    ['', 'names a directory'],
    ['/missing', 'There is no file'],
  ])('refuses the path %j, and the run goes on', async (path, why) => {
    await using tools = await testTools();
    for (const call of [
      () => tools.read({ path }),
      () => tools.edit({ path, old_string: 'a', new_string: 'b' }),
    ]) {
      expect(await call()).toMatchObject({ isError: true, text: expect.stringContaining(why) as unknown });
    }
  });
});
