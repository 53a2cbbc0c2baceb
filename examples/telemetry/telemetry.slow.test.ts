import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

import { expect, it, onTestFinished } from 'vitest';

/** A copy of the example and of the quickstart that it builds on. */
function copyExamples(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'shallot-telemetry-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const generated = new Set(['node_modules', '.shallot']);
  for (const name of ['quickstart', 'telemetry']) {
    const source = join(import.meta.dirname, '..', name);
    cpSync(source, join(folder, name), { recursive: true, filter: (path) => !generated.has(basename(path)) });
    symlinkSync(join(source, 'node_modules'), join(folder, name, 'node_modules'), 'dir');
  }
  return join(folder, 'telemetry');
}

it('sends the spans of the quickstart to a receiver, each inside of what it belongs to', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--no-warnings', 'start.ts'], {
    cwd: copyExamples(),
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toContain('(/notes/honey.md)');
  // Spans that began in the same millisecond come in any order.
  const drawn = stdout
    .split('\n')
    .slice(stdout.split('\n').findIndex((line) => line.startsWith('invoke_agent')));
  const names = drawn.filter(Boolean).map((line) => line.replace(/ {2}\(.*/, ''));
  expect(names[0]).toBe('invoke_agent bee-club');
  expect(names.slice(1).toSorted((a, b) => a.localeCompare(b))).toMatchInlineSnapshot(`
    [
      "    wrapToolCall audit",
      "    wrapToolCall audit",
      "  afterAgent audit",
      "  afterAgent word-count",
      "  afterModel word-count",
      "  afterModel word-count",
      "  afterModel word-count",
      "  chat word-match",
      "  chat word-match",
      "  chat word-match",
      "  execute_tool list_files",
      "  execute_tool read_file",
    ]
  `);
});
