import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

import { expect, it, onTestFinished } from 'vitest';

/** A copy of the example and of the one it extends, so that the test leaves no sessions behind. */
function copyExamples(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'shallot-in-your-editor-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const generated = new Set(['node_modules', '.shallot']);
  for (const name of ['in-your-editor', 'workspace-assistant']) {
    const from = join(import.meta.dirname, '..', name);
    cpSync(from, join(folder, name), { recursive: true, filter: (path) => !generated.has(basename(path)) });
    symlinkSync(join(from, 'node_modules'), join(folder, name, 'node_modules'), 'dir');
  }
  return join(folder, 'in-your-editor');
}

it('shows what an editor shows, with its dialogs, and edits text that was not saved', async () => {
  const folder = copyExamples();
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, ['--no-warnings', 'start.ts'], {
    cwd: folder,
    env: { PATH, HOME, OFFLINE_WORD_DELAY_MS: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text));
  await once(child, 'close');
  expect(output.stderr).toBe('');
  const lines = output.stdout.split('\n');
  // The commands are listed at any time after the session is opened.
  const commands = lines.filter((line) => line.startsWith('[commands]'));
  expect(commands).toEqual(['[commands] /title /usage /plugins /permissions /reload']);
  const own = lines.filter((line) => !commands.includes(line) && /^(\[|> | {2}> )/.test(line));
  expect(own).toMatchInlineSnapshot(`
    [
      "[modes] Read only, Ask before changes, Edit without asking",
      "> Finish the newsletter.",
      "[form] Where is the honey sold? (choose one: the Saturday market, the bookshop, or answer in your own words)",
      "  > the bookshop",
      "[dialog] Edit a file: Allow | Always allow in this session: edit(/newsletter/draft.md) | Edit… | Reject | Reject with a reason…",
      "  > Allow",
      "[dialog] edit_memory: Allow | Edit… | Reject | Reject with a reason…",
      "  > Allow",
      "[dialog] Delete a file: Allow | Always allow in this session: edit(/newsletter/facts.md) | Edit… | Reject | Reject with a reason…",
      "  > Reject",
      "[end_turn]",
    ]
  `);
  expect(lines).toContain('← Edit a file: /newsletter/draft.md: completed');
  expect(lines).toContain('← Delete a file: /newsletter/facts.md: failed');
  const draft = readFileSync(join(folder, '.shallot/workspace/newsletter/draft.md'), 'utf8');
  expect(draft).toContain('The honey is sold at the bookshop.');
  expect(draft).toContain('PS: The roof is open on Sundays.');
  expect(existsSync(join(folder, '.shallot/workspace/newsletter/facts.md'))).toBe(true);
});
