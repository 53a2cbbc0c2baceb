import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';

import { scriptedModel } from '../../../../testing/src/scripted-model.ts';
import type { Agent } from '../../agent.ts';
import type { Store } from '../../contract/store.ts';
import { defineTool, type ToolContext } from '../../contract/tool.ts';
import { createAgent } from '../../create-agent.ts';
import { memoryStore } from '../../sessions/stores/memory-store.ts';
import { sqliteStore } from '../../sqlite/sqlite-store.ts';

afterEach(() => void vi.useRealTimers());

const claimMs = 1000;

/** An account in a database, and what each write to it came to. */
class Account {
  readonly #database = new DatabaseSync(':memory:');
  readonly writes: string[] = [];

  constructor() {
    this.#database.exec(
      'CREATE TABLE accounts (id TEXT PRIMARY KEY, note TEXT, fence INTEGER NOT NULL DEFAULT 0)',
    );
    this.#database.exec("INSERT INTO accounts (id) VALUES ('ann')");
  }

  write(note: string, fence: number): void {
    const update = this.#database.prepare(
      'UPDATE accounts SET note = ?, fence = ? WHERE id = ? AND fence <= ?',
    );
    const { changes } = update.run(note, fence, 'ann', fence);
    this.writes.push(`${note}: ${changes === 1 ? 'written' : 'refused'}`);
  }

  get note(): unknown {
    return this.#database.prepare("SELECT note FROM accounts WHERE id = 'ann'").get()?.['note'];
  }
}

function agentOf(store: Store, write: (context: ToolContext) => Promise<void>): Promise<Agent> {
  const tool = defineTool({
    name: 'note',
    description: 'Notes something.',
    input: { type: 'object' },
    effect: 'idempotent',
    async execute(_args, context) {
      await write(context);
      return 'noted';
    },
  });
  return createAgent({
    model: scriptedModel([
      ({ messages }) => (messages.length > 1 ? { text: 'done' } : calls),
      { text: 'done' },
    ]),
    tools: [tool],
    store,
    claimMs,
    log: 'silent',
  });
}

const calls = { toolCalls: [{ name: 'note' }] };

function diskStore(): Store {
  const folder = mkdtempSync(join(tmpdir(), 'shallot-fence-'));
  const store = sqliteStore(join(folder, 'sessions.db'));
  onTestFinished(async () => {
    await store.close?.();
    rmSync(folder, { recursive: true, force: true });
  });
  return store;
}

describe.each([
  ['memory', memoryStore],
  ['SQLite', diskStore],
])('the fence of a run in a store in %s', (_, storeOf) => {
  it('lets a database refuse the write of a process that was suspended just before it', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const store = storeOf();
    const account = new Account();
    const successor = await agentOf(store, async ({ fence }) => account.write('by the successor', fence));
    const suspended = await agentOf(store, async ({ fence }) => {
      // No look at the claim comes between this and the write.
      vi.setSystemTime(Date.now() + claimMs + 1);
      const resumed = await successor.resume('s');
      expect(resumed).toMatchObject({ outcome: 'completed' });
      account.write('by the one that was suspended', fence);
    });
    await expect(suspended.run('go', { sessionId: 's' })).rejects.toMatchObject({ code: 'STORE_CONFLICT' });
    expect(account.writes).toEqual(['by the successor: written', 'by the one that was suspended: refused']);
    expect(account.note).toBe('by the successor');
  });

  it('is the same all through a run, and grows with every claim, also after a deletion', async () => {
    const store = storeOf();
    const fences: number[] = [];
    const twice = { toolCalls: [{ name: 'note' }, { name: 'note' }] };
    for (let life = 0; life < 2; life += 1) {
      const tool = defineTool({
        name: 'note',
        description: 'Notes something.',
        input: { type: 'object' },
        execute: (_args, { fence }) => void fences.push(fence),
      });
      const agent = await createAgent({
        model: scriptedModel([twice, calls, { text: 'done' }, calls, { text: 'done' }]),
        tools: [tool],
        store,
        log: 'silent',
      });
      await agent.run('go', { sessionId: 's' });
      await agent.run('go', { sessionId: 's' });
      await agent.deleteSession('s');
    }
    const [a = 0, b, c, d = 0, e = 0, f, g, h = 0] = fences;
    expect([b, c]).toEqual([a, a]);
    expect([f, g]).toEqual([e, e]);
    expect(a > 0 && d > a && e > d && h > e).toBe(true);
  });
});
