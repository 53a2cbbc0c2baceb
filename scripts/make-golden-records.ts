// Makes the golden records of the current format, which every later version must be able to read: a database, and the
// result of loading each of its sessions. Run it once, before a format is released. Records of released formats are
// never made again.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { recordFormat, type RunRecord, type SessionChange } from '../packages/core/src/contract/store.ts';
import { sqliteStore } from '../packages/core/src/sqlite/index.ts';

const folder = join(import.meta.dirname, '../packages/core/fixtures/records', `v${recordFormat}`);
const usage = { input: 120, output: 30, total: 150, cacheRead: 64, reasoning: 8, modelCalls: 1 };
const run: RunRecord = {
  id: 'run-1',
  status: 'running',
  step: 1,
  usage,
  usageBefore: { input: 0, output: 0, total: 0, modelCalls: 0 },
  startedAt: 1_700_000_000_000,
  state: {},
  firstMessage: 'm1',
  position: { at: 'step' },
  interrupts: [],
  answers: {},
};

const user = {
  id: 'm1',
  role: 'user',
  content: [{ type: 'text', text: 'Delete the old logs, 日本語 😀' }],
} as const;
const image = {
  id: 'm0',
  role: 'user',
  source: 'import',
  metadata: { memory: { read: ['/AGENTS.md'] } },
  content: [{ type: 'file', mediaType: 'image/png', data: 'iVBORw0KGgo=', name: 'one.png' }],
} as const;
const turn = {
  id: 'm2',
  role: 'assistant',
  content: [
    { type: 'reasoning', text: 'They are old.', metadata: { anthropic: { signature: 'c2ln' } } },
    { type: 'text', text: 'I shall.' },
    { type: 'tool-call', id: 'call-1', name: 'delete_file', input: { path: '/logs/a' } },
    { type: 'tool-call', id: 'call-2', name: 'delete_file', input: {}, raw: '{"path": ' },
  ],
} as const;
const result = {
  id: 'm3',
  role: 'tool',
  callId: 'call-2',
  name: 'delete_file',
  content: [{ type: 'text', text: 'not executed' }],
  data: { reason: [null, 1.5, true] },
  isError: true,
  denied: { by: 'hitl', reason: 'no' },
} as const;

const deletion = { name: 'delete_file', input: { path: '/logs/a' } };

const core = {
  plugins: { version: 1, value: { audit: { name: 'audit', version: '1.2.0' } }, onFork: 'keep' },
} as const;

const sessions: Record<string, readonly SessionChange[]> = {
  completed: [
    { append: [user], claim: { owner: 'o', host: 'h', pid: 1, expiresAt: 1_700_000_030_000 }, run },
    {
      append: [{ id: 'm4', role: 'assistant', content: [{ type: 'text', text: 'Done.' }] }],
      claim: null,
      run: { ...run, status: 'completed', stopReason: 'answer', position: { at: 'end' } },
    },
  ],
  interrupted: [
    { append: [image, user, turn], state: { core, audit: { seen: { version: 2, value: { calls: 1 } } } } },
    {
      replace: [{ from: 0, to: 1, messages: [{ ...image, source: 'summarization' }] }],
      journal: {
        'call-1/once': { type: 'once', value: { at: 1 } },
        'call-2': { type: 'final', message: result },
      },
      run: {
        ...run,
        status: 'interrupted',
        stopReason: 'interrupt',
        state: { audit: { count: { version: 1, value: 3 } } },
        position: { at: 'tools', offered: [{ name: 'delete_file' }] },
        interrupts: [
          {
            id: 'i-1',
            kind: 'approval',
            plugin: 'hitl',
            call: { id: 'call-1', name: 'delete_file', input: { path: '/logs/a' } },
            payload: { options: ['approve', 'reject'] },
            answerSchema: { type: 'object' },
            createdAt: '2026-01-01T00:00:00.000Z',
          },
        ],
        answers: { 'i-0': { decision: 'approve' } },
      },
    },
  ],
  died: [
    {
      append: [user, turn],
      claim: { owner: 'o', host: 'h', pid: 1, expiresAt: 1_700_000_030_000 },
      journal: {
        'call-1/0': { type: 'intent', id: 'execution-1', asked: deletion, done: deletion },
        'call-2/0': { type: 'raw', done: deletion, result: { content: [] } },
      },
      run: { ...run, position: { at: 'tools', offered: [{ name: 'delete_file' }] } },
    },
  ],
};

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const store = sqliteStore(join(folder, 'sessions.db'));
for (const [sessionId, changes] of Object.entries(sessions)) {
  for (const [revision, change] of changes.entries()) await store.commit(sessionId, revision, change);
  const record = await store.load(sessionId);
  writeFileSync(join(folder, `${sessionId}.json`), `${JSON.stringify(record, undefined, 2)}\n`);
}
await store.close?.();
