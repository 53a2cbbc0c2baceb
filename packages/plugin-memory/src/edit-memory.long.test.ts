import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { describe, expect, it, onTestFinished } from 'vitest';

describe('Editing in processes', () => {
  const program = fileURLToPath(new URL('../test/programs/edit-memory.ts', import.meta.url));

  function newFolder(text?: string): { readonly folder: string; readonly read: () => string } {
    const folder = mkdtempSync(join(tmpdir(), 'shallot-memory-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    mkdirSync(join(folder, 'files'));
    const file = join(folder, 'files/AGENTS.md');
    if (text !== undefined) writeFileSync(file, text);
    return { folder, read: () => readFileSync(file, 'utf8') };
  }

  async function run(
    ...args: readonly string[]
  ): Promise<{ readonly signal: unknown; readonly said: string }> {
    const child = spawn(process.execPath, ['--no-warnings', program, ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
    const [, signal] = (await once(child, 'close')) as [number | null, string | null];
    return { signal, said };
  }

  it.each(['before', 'after'])(
    'is done once when the process is killed %s the file is written',
    async (when) => {
      const { folder, read } = newFolder('a\n');
      // The edit adds the old text once more: made twice, it would show.
      expect(await run(folder, 's', 'a', 'a, b', when)).toMatchObject({ signal: 'SIGKILL' });
      expect(read()).toBe(when === 'before' ? 'a\n' : 'a, b\n');
      expect((await run(folder, 's', 'a', 'a, b')).said).toContain('/AGENTS.md is changed.');
      expect(read()).toBe('a, b\n');
    },
  );

  it('is done once when it is killed before and after', async () => {
    const { folder, read } = newFolder('a\n');
    for (const kill of ['before', 'before', 'after']) {
      expect(await run(folder, 's', '', 'b', kill)).toMatchObject({ signal: 'SIGKILL' });
    }
    expect((await run(folder, 's', '', 'b')).said).toContain('is changed');
    expect(read()).toBe('a\nb\n');
  });

  it.each(['before', 'after'])(
    'leaves the file alone when it was killed %s it was written, and somebody else has written since',
    async (when) => {
      const { folder, read } = newFolder('a\n');
      await run(folder, 's', '', 'b', when);
      await run(folder, 'other', '', 'c');
      const since = read();
      expect((await run(folder, 's', '', 'b')).said).toContain('memory/EDIT_UNKNOWN');
      expect(read()).toBe(since);
    },
  );

  it('loses nothing of what several of them add', async () => {
    const { folder, read } = newFolder();
    const whos = ['a', 'b', 'c', 'd'];
    await Promise.all(whos.map((who) => run(folder, who, '', who)));
    expect(read().trimEnd().split('\n').toSorted()).toEqual(whos);
  });
});
