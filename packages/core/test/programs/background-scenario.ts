// A tree of runs on SQLite, most of them in the background, with writes and questions at each level.
// As a program it is killed before or after one of its commits: node background-scenario.ts FOLDER before|after N
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { createAgent, defineTool } from '../../src/index.ts';
import { sqliteStore } from '../../src/sqlite/sqlite-store.ts';
import type { Store } from '../../src/store.ts';
import { pendingInterrupts } from '../../src/work.ts';
import { beside, doing } from '../children.ts';

const sessionId = 'tree';

/** The effects of an undisturbed tree, in any order. */
export const allEffects = [
  'low confirm',
  'low write',
  'mid write',
  'root write',
  'side confirm',
  'side write',
];

/** Returns the effects recorded in a folder. */
export function effectsOf(folder: string): readonly string[] {
  const ledger = join(folder, 'effects.txt');
  return existsSync(ledger) ? readFileSync(ledger, 'utf8').trimEnd().split('\n') : [];
}

function openStore(folder: string): Store {
  return sqliteStore(join(folder, 'sessions.db'));
}

/** Executes the tree to its end and answers its questions; the ledger answers those about unknown effects. */
async function finish(store: Store, folder: string): Promise<void> {
  const done = (effect: string): void => appendFileSync(join(folder, 'effects.txt'), `${effect}\n`);
  const input = { type: 'object', properties: { to: { type: 'string' } } } as const;
  const nameOf = (args: object): string => (args as { readonly to: string }).to;
  const write = defineTool({
    name: 'write',
    description: 'Writes.',
    input,
    execute: (args) => done(`${nameOf(args)} write`),
  });
  const confirm = defineTool({
    name: 'confirm',
    description: 'Asks before it writes.',
    input,
    async execute(args, { interrupt }) {
      await interrupt({ kind: 'question', payload: args, answer: { enum: ['yes'] } });
      done(`${nameOf(args)} confirm`);
    },
  });
  const low = { model: doing('low', ['write', { to: 'low' }], ['confirm', { to: 'low' }]) };
  const side = { model: doing('side', ['write', { to: 'side' }], ['confirm', { to: 'side' }]) };
  const mid = { model: doing('mid', ['begin', { to: 'low' }], ['write', { to: 'mid' }]) };
  const agent = await createAgent({
    model: doing('root', ['begin', { to: 'mid' }], ['begin', { to: 'side' }], ['write', { to: 'root' }]),
    tools: [beside({ low, mid, side }), write, confirm],
    store,
    log: 'silent',
  });
  let run = (await store.load(sessionId))?.run;
  if (run === undefined) await agent.run('Go', { sessionId });
  for (;;) {
    run = (await store.load(sessionId))?.run;
    if (run?.status === 'completed') break;
    const answers: Record<string, never> = {};
    for (const { id, kind, call } of await pendingInterrupts(store, sessionId)) {
      const effect = `${nameOf(call?.input as object)} ${call?.name ?? ''}`;
      const known = effectsOf(folder).includes(effect);
      const about = known ? { action: 'result', result: 'done' } : { action: 'repeat' };
      answers[id] = (kind === 'question' ? 'yes' : about) as never;
    }
    await agent.resume(sessionId, answers);
  }
  await agent.close();
}

/** The facts about a tree that has ended. */
export interface StoredTree {
  readonly sessions: number;
  /**
   * The number of model calls in the root's usage; `made` is their number according to the messages of all sessions.
   */
  readonly counted: number;
  readonly made: number;
  /** The ends of children that were reported to their parents. */
  readonly told: readonly string[];
}

/** Reads a tree from its folder. */
export async function storedTree(folder: string): Promise<StoredTree> {
  const store = openStore(folder);
  const ids = [sessionId];
  for (const parent of ids) for await (const { id } of store.list({ parent })) ids.push(id);
  const records = await Promise.all(ids.map((id) => store.load(id)));
  await store.close?.();
  const messages = records.flatMap((record) => record?.messages ?? []);
  return {
    sessions: ids.length,
    counted: records[0]?.run?.usage.modelCalls ?? 0,
    made: messages.filter(({ role }) => role === 'assistant').length,
    told: messages
      .filter(({ source }) => source === 'children')
      .flatMap(({ content }) => (content[0]?.type === 'text' ? content[0].text.split('\n') : [])),
  };
}

const [, , folder, when, at] = process.argv;
if (folder !== undefined && (when === 'before' || when === 'after')) {
  const store = openStore(folder);
  let commits = 0;
  const dieAt = (moment: string, commit: number): void => {
    if (moment === when && commit === Number(at)) process.kill(process.pid, 'SIGKILL');
  };
  const dying: Store = {
    ...store,
    commit: async (...change) => {
      // Counted at the beginning, because commits of several sessions overlap.
      const own = (commits += 1);
      dieAt('before', own);
      const revision = await store.commit(...change);
      dieAt('after', own);
      return revision;
    },
  };
  await finish(dying, folder);
  await store.close?.();
}
