import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createAgent } from '@shallot/core';
import { diskFiles } from '@shallot/core/files';
import filesystem from '@shallot/plugin-filesystem';
import hitl from '@shallot/plugin-hitl';
import { scriptedModel } from '@shallot/testing';
import { expect, it, onTestFinished } from 'vitest';

it.each([
  ['write_file', { content: 'one\ntwo\n' }],
  ['edit_file', { old_string: '2', new_string: 'two' }],
])(
  'The question about %s by a path of the machine shows the change of the file that is meant',
  async (name, args) => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), 'shallot-matrix-')));
    onTestFinished(() => rmSync(root, { recursive: true, force: true }));
    const path = join(root, 'a.txt');
    writeFileSync(path, 'one\n2\n');
    const model = scriptedModel([
      { toolCalls: [{ name: 'read_file', args: { path } }] },
      { toolCalls: [{ name, args: { path, ...args } }] },
      { text: 'Done.' },
    ]);
    await using agent = await createAgent({
      model,
      files: diskFiles(root),
      plugins: [filesystem(), hitl({ tools: { [name]: true } })],
      log: 'silent',
    });
    const { interrupts } = await agent.run('Go', { sessionId: 's' });
    expect(interrupts).toMatchObject([
      {
        call: { locations: [{ path: '/a.txt' }] },
        payload: { diff: '--- /a.txt\n+++ /a.txt\n@@ -1,2 +1,2 @@\n one\n-2\n+two\n' },
      },
    ]);
    await agent.resume('s', { [interrupts[0]?.id ?? '']: { decision: 'approve' } });
    expect(readFileSync(path, 'utf8')).toBe('one\ntwo\n');
  },
);
