import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

import { definePlugin, textOf } from '@shallot/core';
import { loadAgent } from '@shallot/core/config';
import type { ModelRequest } from '@shallot/core/model';
import { expect, it, onTestFinished } from 'vitest';

function copyExample(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'shallot-skills-and-memory-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const generated = new Set(['node_modules', '.shallot']);
  cpSync(import.meta.dirname, folder, { recursive: true, filter: (path) => !generated.has(basename(path)) });
  symlinkSync(join(import.meta.dirname, 'node_modules'), join(folder, 'node_modules'), 'dir');
  return folder;
}

it('reads one of three skills, remembers, and knows it in another session', () => {
  const folder = copyExample();
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--no-warnings', 'start.ts'], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  // The README shows the beginning of what is printed.
  const shown = /```text\n([\s\S]*?)```/.exec(readFileSync(join(folder, 'README.md'), 'utf8'))?.[1] ?? '-';
  expect(stdout.startsWith(shown)).toBe(true);
  expect(stdout.endsWith('- Who is who is in @docs/members.md.\n- Ada is allergic to stings.\n')).toBe(true);
});

it('sends memory with every call, the text of a skill once it was read, and neither as a message of its own', async () => {
  const folder = copyExample();
  cpSync(join(folder, 'workspace'), join(folder, '.shallot/workspace'), { recursive: true });
  const requests: ModelRequest[] = [];
  const { agent } = await loadAgent({ cwd: folder });
  await agent.use(
    definePlugin({
      name: 'watch',
      setup({ hooks }) {
        hooks.wrapModelCall.tap({ name: 'watch', priority: 0 }, (request, next) => {
          requests.push(request);
          return next(request);
        });
      },
    })(),
  );
  const { messages } = await agent.run('A bee has stung somebody. What shall I do?');
  await agent.close();

  expect(requests).toHaveLength(2);
  for (const { instructions, tools } of requests) {
    expect(instructions).toContain('/AGENTS.md\n# The bee club of Linden Street');
    expect(instructions).toContain('/docs/members.md\n- Mia is the treasurer.');
    expect(instructions).not.toContain('For the members of the board');
    expect(instructions.match(/<name>.*<\/name>/g)).toEqual([
      '<name>inspect-a-hive</name>',
      '<name>treat-a-sting</name>',
      '<name>write-an-invoice</name>',
    ]);
    // The steps of a skill are in no list.
    expect(instructions).not.toContain('1. ');
    expect(tools?.map(({ name }) => name).toSorted()).toEqual(['edit_memory', 'skill']);
  }
  const [, , read] = messages;
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
  expect(read === undefined ? '' : textOf(read)).toMatch(/1\. Scrape the sting[\s\S]*- report-form\.md/);
  expect(JSON.stringify(messages)).not.toContain('Mia is the treasurer');
  expect(JSON.stringify(messages)).not.toContain('smoker');
});
