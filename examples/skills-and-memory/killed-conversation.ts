// A conversation with summarization, memory and skills that continues from wherever it stands, to its end: `node
// --import ./kill-at.ts killed-conversation.ts FOLDER N`. It is killed at the N-th point that it reaches: the points
// are before and after its commits, and those of `kill-at.ts`.
import { createAgent, defineTool, textOf, type Message } from '@shallot/core';
import { diskFiles } from '@shallot/core/files';
import type { ChatModel } from '@shallot/core/model';
import { sqliteStore } from '@shallot/core/sqlite';
import type { Store } from '@shallot/core/store';
import { memory } from '@shallot/plugin-memory';
import { skills } from '@shallot/plugin-skills';
import { summarization } from '@shallot/plugin-summarization';
import { scriptedModel, type ScriptedFunction } from '@shallot/testing';

import { point } from './kill-at.ts';

const [, , folder = ''] = process.argv;
const rounds = 5;
const sessionId = 'killed';

const inner = sqliteStore(`${folder}/sessions.db`);
const store: Store = {
  load: (id) => inner.load(id),
  renew: (id, claim) => inner.renew(id, claim),
  requestStop: (id) => inner.requestStop(id),
  list: (filter) => inner.list(filter),
  delete: (id) => inner.delete(id),
  async commit(id, revision, change) {
    point();
    const next = await inner.commit(id, revision, change);
    point();
    return next;
  },
};
const writeFile = defineTool({
  name: 'write_file',
  description: 'Writes a file.',
  input: { type: 'object' },
  effect: 'idempotent',
  async execute(args, { files }) {
    const { path, content } = args as { readonly path: string; readonly content: string };
    await files.write(path, content);
    return `${path} is written.`;
  },
});
const agent = await createAgent({
  model: model(),
  files: diskFiles(`${folder}/files`),
  store,
  tools: [writeFile],
  plugins: [
    summarization({
      trigger: { messages: 14 },
      keep: { messages: 9 },
      truncateArguments: { trigger: { tokens: 900 }, keep: { messages: 3 }, maxLength: 100 },
    }),
    memory({ writable: true }),
    skills({ sources: ['/skills'] }),
  ],
  log: 'silent',
});

/** Returns a model that decides by its request alone, so that it does the same in every process. */
function model(): ChatModel {
  const answer: ScriptedFunction = ({ messages }) => {
    const last = messages.findLastIndex(({ role, source }) => role === 'user' && source === undefined);
    const said = messages.map((message) => textOf(message)).join('\n');
    if (last === -1) return { text: [...new Set(said.match(/Round \d+\./g))].join(' ') };
    const round = Number(/\d+/.exec(textOf(messages[last] as Message)));
    if (messages.at(-1)?.role === 'tool') return { text: `Round ${round} is done.` };
    const note =
      round % 2 === 1
        ? { new_text: `- Fact ${round}.` }
        : { old_text: `- Fact ${round - 1}.`, new_text: `- Fact ${round}, and not - Fact ${round - 1}.` };
    return {
      toolCalls: [
        { id: `note-${round}`, name: 'edit_memory', args: { path: '/AGENTS.md', ...note } },
        {
          id: `page-${round}`,
          name: 'write_file',
          args: { path: '/page', content: `page ${round} `.repeat(100) },
        },
        { id: `read-${round}`, name: 'skill', args: { name: 'inspect-a-hive' } },
      ],
    };
  };
  return scriptedModel(Array.from({ length: 100 }, () => answer));
}

for (let record = await inner.load(sessionId); ; record = await inner.load(sessionId)) {
  if (record?.run?.status === 'running') {
    await agent.resume(sessionId);
    continue;
  }
  const done = (record?.messages ?? []).map((message) => /Round (\d+) is done/.exec(textOf(message))?.[1]);
  const round = Math.max(0, ...done.map((each) => Number(each ?? 0))) + 1;
  if (round > rounds) break;
  await agent.run(`Round ${round}.`, { sessionId });
}
await agent.close();
await inner.close?.();
