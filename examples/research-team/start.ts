// `npm start`: writes a report in a fresh copy of workspace/. It shows the events of all agents as they come, each
// under its task, and approves the one question that is asked.
import { cpSync, readFileSync, rmSync } from 'node:fs';

import type { AgentEvent, JsonValue, RunResult } from '@shallot/core';
import { loadAgent } from '@shallot/core/config';
import type { ApprovalRequest } from '@shallot/core/plugin';

const task = 'Where could we make the garden? Write a report from the sources.';
const sessionId = 'garden';

const folder = import.meta.dirname;
rmSync(`${folder}/.shallot`, { recursive: true, force: true });
cpSync(`${folder}/workspace`, `${folder}/.shallot/workspace`, { recursive: true });

const { agent } = await loadAgent({ cwd: folder });
console.log(`> ${task}`);
let result = await show(agent.stream(task, { sessionId }));
while (result.interrupts.length > 0) {
  const answers = result.interrupts.map(({ id, payload }) => {
    // The approval plugin's questions have this payload.
    const { tool, arguments: shown, diff } = payload as unknown as ApprovalRequest;
    console.log(`\n? ${tool}\n${(diff ?? shown).trimEnd().replaceAll(/^/gm, '  ')}\n  → approved\n`);
    return [id, { decision: 'approve' }] as const;
  });
  result = await show(agent.streamResume(sessionId, Object.fromEntries(answers)));
}
await agent.close();

console.log(`\n${result.text} ${result.usage.modelCalls} model calls in the whole tree.\n`);
console.log(readFileSync(`${folder}/.shallot/workspace/report.md`, 'utf8').trimEnd());

async function show(events: AsyncIterable<AgentEvent>): Promise<RunResult> {
  for await (const event of events) {
    if (event.type === 'run-end') return event.result;
    showEvent(event, 'planner', '  ');
  }
  throw new Error('The stream ended without a result.');
}

function showEvent(event: AgentEvent, agent: string, indent: string): void {
  if (event.type === 'child') return showEvent(event.event, event.agent, `${indent}  `);
  if (event.type === 'tool-start')
    console.log(`${indent}${agent}: ${event.name} ${gist(event.input)}`.trimEnd());
  if (event.type === 'run-end' && event.result.outcome === 'completed')
    console.log(`${indent}${agent}: ${event.result.text}`);
}

/** Returns the most informative argument, if there is one. */
function gist(input: JsonValue): string {
  const { description, path } = input as { readonly description?: string; readonly path?: string };
  return description ?? path ?? '';
}
