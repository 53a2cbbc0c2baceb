import { appendFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { scriptedModel, type ScriptedModel } from '../../../testing/src/scripted-model.ts';
import type { Agent } from '../../src/agent.ts';
import { isShallotError } from '../../src/base/errors.ts';
// One of several processes that resume a session at the same time. It receives a `ResumeOrder`, and sends back the
// outcome.
import { messageOf } from '../../src/base/thrown.ts';
import { definePlugin } from '../../src/contract/define-plugin.ts';
import type { Answers } from '../../src/contract/interrupt.ts';
import { defineTool } from '../../src/contract/tool.ts';
import { createAgent } from '../../src/create-agent.ts';
import { sqliteStore } from '../../src/sqlite/sqlite-store.ts';

export interface ResumeOrder {
  readonly sessionId: string;
  readonly answers: Answers;
}

/** Creates an agent that asks before it pays, and records each payment in a file. */
export function payingAgent(database: string, payments: string): Promise<Agent> {
  const pay = defineTool({
    name: 'pay',
    description: 'Pays.',
    input: { type: 'object' },
    execute(_, { run }) {
      appendFileSync(payments, `${run.sessionId}\n`);
      return 'paid';
    },
  });
  const approval = definePlugin({
    name: 'approval',
    setup({ hooks }) {
      hooks.wrapToolCall.tapPromise({ name: 'ask', gate: true }, async (call, next, scope) => {
        await scope.interrupt({ kind: 'approval', payload: null, answer: { const: 'yes' } });
        return next(call);
      });
    },
  })();
  const store = sqliteStore(database);
  return createAgent({ model: payingModel(), tools: [pay], plugins: [approval], store, log: 'silent' });
}

function payingModel(): ScriptedModel {
  const step: Parameters<typeof scriptedModel>[0][number] = ({ messages }) =>
    messages.some(({ role }) => role === 'tool') ? { text: 'Paid.' } : { toolCalls: [{ name: 'pay' }] };
  return scriptedModel(Array.from({ length: 1000 }, () => step));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , database = '', payments = ''] = process.argv;
  const agent = await payingAgent(database, payments);
  process.on('message', ({ sessionId: session, answers }: ResumeOrder) => {
    agent.resume(session, answers).then(
      ({ outcome }) => process.send?.(outcome),
      (error: unknown) => process.send?.(isShallotError(error) ? error.code : messageOf(error)),
    );
  });
  process.send?.('ready');
}
