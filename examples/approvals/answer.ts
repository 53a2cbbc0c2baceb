// Process two: shows the pending questions, and answers them. It needs the store, but not the agent.
import type { JsonValue } from '@shallot/core';
import type { ApprovalRequest, Decision } from '@shallot/core/plugin';
import { sqliteStore } from '@shallot/core/sqlite';
import { answerInterrupts, pendingInterrupts } from '@shallot/core/work';

const decisions: Readonly<Record<string, Decision>> = {
  write_file: { decision: 'edit', args: { path: '/list.txt', content: 'letters\nbills\n' } },
  delete_file: { decision: 'reject', reason: 'I am not done with the letters' },
};

const store = sqliteStore(`${import.meta.dirname}/.shallot/sessions.db`);
const answers: Record<string, JsonValue> = {};
for (const { id, payload } of await pendingInterrupts(store, 'desk')) {
  // The approval plugin's questions have this payload.
  const { tool, arguments: shown, diff } = payload as unknown as ApprovalRequest;
  const decision = decisions[tool] ?? { decision: 'reject' };
  console.log(`${tool}\n${(diff ?? shown).trimEnd().replaceAll(/^/gm, '  ')}\n  → ${decision.decision}\n`);
  answers[id] = { ...decision };
}
await answerInterrupts(store, 'desk', answers);
await store.close?.();
