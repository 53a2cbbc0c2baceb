import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

import { describe, expect, it, onTestFinished } from 'vitest';

interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A copy of the example, so that the tests find an empty `.shallot` and leave none behind. */
function copyExample(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'shallot-quickstart-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const generated = new Set(['node_modules', '.shallot']);
  cpSync(import.meta.dirname, folder, { recursive: true, filter: (path) => !generated.has(basename(path)) });
  symlinkSync(join(import.meta.dirname, 'node_modules'), join(folder, 'node_modules'), 'dir');
  return folder;
}

/** Runs `npm start`. */
function start(folder: string, ...args: string[]): Promise<Ended> {
  const child = spawn(process.execPath, ['start.ts', ...args], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (status) => resolve({ status, stdout, stderr }));
  });
}

describe('the quickstart', () => {
  it('shows the onion, ordered by priority, then answers from the right file', async () => {
    const folder = copyExample();
    const { status, stdout, stderr } = await start(folder);
    expect(status).toBe(0);
    expect(stdout).toMatchInlineSnapshot(`
      "$ shallot inspect

      bee-club  shallot.config.yaml
      model         offline/word-match
      instructions  written in the config (shallot.config.yaml:8:15)
      tools         list_files, read_file
      plugins       audit, word-count 0.1.0

      beforeAgent  no layers
      beforeModel  no layers
      wrapModelCall  no layers

      afterModel  each step, inside out
         1  word-count 0.1.0  25  count         by default    shallot-plugin-word-count (shallot.config.yaml:17:10)

      wrapToolCall  around each tool call: outside in, then back out
         1  audit             70  wrapToolCall  by its entry  plugins/audit.ts (shallot.config.yaml:21:10)

      afterAgent  once per run, inside out
         1  word-count 0.1.0  25  report        by default    shallot-plugin-word-count (shallot.config.yaml:17:10)
         2  audit             70  afterAgent    by its entry  plugins/audit.ts (shallot.config.yaml:21:10)

      $ shallot run "When is the honey harvested, and how often are the hives inspected?"

      I only match words, I do not think. What fits best in 3 files:

      - Last year's two harvests gave 86 kilograms of honey, 31 in spring and 55 in summer. (/notes/honey.md)
      - The hives are inspected every nine days from April to July, and never in the rain. (/notes/calendar.md)
      - At least 12 kilograms stay in every hive as food for the winter. (/notes/honey.md)
      - The spring harvest is in the second week of June, the summer harvest at the end of July. (/notes/honey.md)

      What to try next:
        npm start -- "Who is the treasurer?"             another question, another answer
        npm start -- "What do I do after a sting?"
        edit examples/quickstart/shallot.config.yaml     change a priority, and look at the onion again
      "
    `);
    expect(stderr).toMatch(/audit call tool=list_files input=\{\} outcome=ok/);
    expect(stderr).toMatch(/audit call tool=read_file input=\{"path":"\/notes\/honey\.md"\} outcome=ok/);
    expect(stderr).toMatch(/word-count words answer=\d+ session=\d+ limit=120 long=false/);
  });

  it('gives another answer to another question', async () => {
    const folder = copyExample();
    const sting = await start(folder, 'What do I do after a sting?');
    expect(sting.stdout).toContain(
      '- After a sting, scrape the stinger off sideways and leave the hives slowly. (/notes/safety.md)',
    );
    const treasurer = await start(folder, 'Who is the treasurer?');
    expect(treasurer.stdout).toContain(
      '- Jonas Brandt is the treasurer and pays the rent of the roof, 40 euros a month. (/notes/members.md)',
    );
    expect(treasurer.stdout).not.toContain('sting,');
  });

  it('says plainly that it found nothing', async () => {
    const { status, stdout } = await start(copyExample(), 'Quantum chromodynamics?');
    expect(status).toBe(0);
    expect(stdout).toContain('I found nothing: no line in 6 files has a telling word of the question.');
  });

  it('keeps an audit log of every tool call and every run', async () => {
    const folder = copyExample();
    await start(folder, 'What does a jar of honey cost?');
    const lines = readFileSync(join(folder, '.shallot', 'audit.log'), 'utf8')
      .trimEnd()
      .split('\n');
    const entries = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(entries.map(({ time: _time, sessionId: _session, ...rest }) => rest)).toEqual([
      { what: 'call', tool: 'list_files', input: {}, outcome: 'ok' },
      { what: 'call', tool: 'read_file', input: { path: '/notes/honey.md' }, outcome: 'ok' },
      { what: 'run', outcome: 'completed', steps: 3 },
    ]);
    expect(entries.every(({ time }) => !Number.isNaN(Date.parse(String(time))))).toBe(true);
  });
});
