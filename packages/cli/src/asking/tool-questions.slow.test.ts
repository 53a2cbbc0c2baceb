import { fileURLToPath } from 'node:url';

import { expect, it } from 'vitest';

import { openChat } from '../../test/chat/chat.ts';
import { makeProject, type Project } from '../../test/project.ts';
import { choose, chooseSeveral, goOnWith } from '../../test/questions.ts';
import { plain } from '../../test/terminal.ts';

const enter = '\r';

/** A project whose model makes one call, and then says what it was told. */
function projectThatCalls(plugins: string, call: object): Project {
  return makeProject({
    'shallot.config.yaml': `name: test\nmodel: ./model.ts\nlog: silent\nplugins:\n${plugins}`,
    'model.ts': `
      import { scriptedModel } from '@shallot/testing';
      const step = ({ messages }) => messages.at(-1).role === 'tool'
        ? { text: 'Told: ' + messages.at(-1).content[0].text.replaceAll('\\n', ' | ') }
        : { toolCalls: [${JSON.stringify(call)}] };
      export default scriptedModel(Array(9).fill(step));`,
  });
}

const questions = [
  { question: 'Which database?', choices: ['SQLite', 'PostgreSQL'] },
  { question: 'What else?', choices: ['Cache', 'Queue', 'Search'], several: true },
  { question: 'What is it called?' },
  { question: 'Is it public?', choices: ['yes', 'no'] },
];
const asking = (): Project => projectThatCalls('  - ask-user\n', { name: 'ask_user', args: { questions } });
const told =
  'Told: 1. Which database? | PostgreSQL | 2. What else? | Cache, Search | 3. What is it called? | Honey | 4. Is it public? | yes';

it('a chat asks the questions of ask_user in place, one after another', async () => {
  const terminal = await openChat(asking());
  terminal.type(`Set it up.${enter}`);
  await choose(terminal, '[1mWhich database?', 1);
  await chooseSeveral(terminal, '[1mWhat else?', [1, 3]);
  await goOnWith(terminal, '= ', 'Honey');
  await choose(terminal, '[1mIs it public?', 0);
  await terminal.seen('| yes');
  terminal.type('\u0004');
  const { status, screen } = await terminal.ended;
  expect(status).toBe(0);
  expect(plain(screen).replaceAll(/\s+/g, ' ')).toContain(told);
});

it('questions of ask_user wait for answers by other commands where nobody can be asked', async () => {
  const project = asking();
  const asked = await project.here(['run', '-s', 'setup', 'Set it up.']);
  expect(asked.status).toBe(3);
  const [id = ''] = /int_\S+/.exec(asked.stderr) ?? [];
  const pending = await project.here(['pending', 'setup']);
  expect(pending.stdout).toContain(
    '  1. Which database? (choose one: SQLite, PostgreSQL, or answer in your own words)\n',
  );
  expect(pending.stdout).toContain(
    `shallot answer ${id} '{"question_1":"SQLite","question_2":["Cache"],"question_3":"…","question_4":"yes"}'\n`,
  );
  const wrong = await project.here(['answer', id, '{"question_1":"MySQL"}']);
  expect([wrong.status, wrong.stderr]).toEqual([2, expect.stringContaining('INTERRUPT_ANSWER')]);
  const right = {
    question_1: 'PostgreSQL',
    question_2: ['Cache', 'Search'],
    question_3: 'Honey',
    question_4: 'yes',
  };
  expect((await project.here(['answer', id, JSON.stringify(right)])).status).toBe(0);
  const resumed = await project.here(['resume', 'setup']);
  expect([resumed.status, resumed.stdout]).toEqual([0, `${told}\n`]);
});

it('a question of an MCP server is declined by another command', async () => {
  const server = fileURLToPath(
    new URL('../../../plugin-mcp/test/programs/asking-server.ts', import.meta.url),
  );
  const servers = JSON.stringify({ s: { command: process.execPath, args: [server] } });
  const mcp = `  - use: mcp\n    options: { servers: ${servers} }\n`;
  const project = projectThatCalls(mcp, { name: 's_ask', args: { how: 'two' } });
  expect((await project.here(['run', '-s', 'hall', 'Go'])).status).toBe(3);
  const ended = [];
  for (const answer of ['{"a":"1"}', '"decline"']) {
    const { stdout } = await project.here(['pending', 'hall']);
    const [id = ''] = /int_\S+/.exec(stdout) ?? [];
    expect(stdout).toContain(`shallot answer ${id} '"decline"'  # Tells the server no.\n`);
    expect(stdout).not.toContain('"requestedSchema"');
    expect((await project.here(['answer', id, answer])).status).toBe(0);
    const { status, stdout: said } = await project.here(['resume', 'hall']);
    ended.push([status, said]);
  }
  expect(ended).toEqual([
    [3, ''],
    [0, 'Told: answered {"action":"accept","content":{"a":"1"}} {"action":"decline"}\n'],
  ]);
});
