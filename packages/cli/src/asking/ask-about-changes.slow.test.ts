import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { describe, expect, it } from 'vitest';

import { makeProject, type Project } from '../../test/project.ts';
import { choose } from '../../test/questions.ts';
import { plain } from '../../test/terminal.ts';

const question = 'Load them as they are now?';
const [enter, down] = ['\r', '\u001b[B'];

/** An agent whose tool has added something to its own module. */
async function changedProject(): Promise<Project> {
  const project = makeProject({
    'shallot.config.yaml': 'model: offline\ntools: [./tool.mjs]\n',
    'tool.mjs': `import { appendFileSync } from 'node:fs';
import { defineTool } from '@shallot/core';
export const change = defineTool({
  name: 'change', description: 'Changes.', input: { type: 'object' },
  execute() { appendFileSync(import.meta.filename, '// more\\n'); return 'changed'; },
});
`,
  });
  expect(await project.run(['run', 'call change {}'])).toMatchObject({ status: 0 });
  return project;
}

describe('files that changed while a session ran', () => {
  it.each([
    ['letters that move elsewhere, and Enter', ['j', 'k', 'j', enter]],
    ['Enter alone', [enter]],
    ['a digit and Enter in one piece, as of a paste', [`2${enter}`]],
    ['y and Enter', ['y', enter]],
    ['an arrow and Enter in one piece', [`${down}${down}${enter}`]],
  ])('are not loaded by %s, soon after the question', async (_, keys) => {
    const project = await changedProject();
    const terminal = project.onPseudoTerminal(['run', 'hi']);
    await terminal.seen(question);
    await delay(150);
    // Seen only once the terminal has read the keys before it.
    for (const key of [...keys, 'zz']) terminal.type(key);
    await terminal.seen('zz');
    terminal.hangUp();
    const { screen } = await terminal.ended;
    expect(plain(screen)).not.toMatch(/✓ Load|offline model/);
  });

  it('are loaded on purpose: by a digit, and then Enter', async () => {
    const project = await changedProject();
    const terminal = project.onPseudoTerminal(['run', 'hi']);
    await choose(terminal, question, 1);
    const { status, screen } = await terminal.ended;
    expect(plain(screen)).toContain('hi (offline model: no provider is asked)');
    expect(status).toBe(0);
  });

  it('are asked about by the keyboard of the chat, which keeps a sentence that is typed', async () => {
    const project = await changedProject();
    const terminal = project.onPseudoTerminal(['chat']);
    await terminal.seen(question);
    terminal.type('one jar');
    await terminal.seen('one jar');
    terminal.type(enter);
    await choose(terminal, question, 1);
    await terminal.seen('one jar (offline model: no provider is asked)');
    terminal.type('another');
    await terminal.seen('another');
    terminal.type(enter);
    await terminal.seen('another (offline model: no provider is asked)');
    terminal.type('\u0004');
    expect((await terminal.ended).status).toBe(0);
  });

  it('let no chat begin if the question is left', async () => {
    const project = await changedProject();
    appendFileSync(join(project.folder, 'tool.mjs'), '// and more\n');
    const terminal = project.onPseudoTerminal(['chat']);
    await terminal.seen(question);
    terminal.type('\u0003');
    const { status, screen } = await terminal.ended;
    expect(plain(screen)).toContain('error FILE_CHANGED');
    expect(status).toBe(2);
  });
});
