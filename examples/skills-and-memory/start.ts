// `npm start`: runs three tasks, each in a session of its own, and shows what AGENTS.md contains afterwards.
import { cpSync, readFileSync, rmSync } from 'node:fs';

import { loadAgent } from '@shallot/core/config';

const tasks = [
  'A bee has stung somebody. What shall I do?',
  'Remember: Ada is allergic to stings.',
  'Who is allergic?',
];

const folder = import.meta.dirname;
rmSync(`${folder}/.shallot`, { recursive: true, force: true });
cpSync(`${folder}/workspace`, `${folder}/.shallot/workspace`, { recursive: true });

const { agent } = await loadAgent({ cwd: folder });
for (const task of tasks) {
  console.log(`> ${task}`);
  for await (const event of agent.stream(task)) {
    if (event.type === 'tool-start') console.log(`  ${event.name} ${JSON.stringify(event.input)}`);
    if (event.type === 'run-end') console.log(`${event.result.text}\n`);
  }
}
await agent.close();

console.log('AGENTS.md is now:\n');
console.log(readFileSync(`${folder}/.shallot/workspace/AGENTS.md`, 'utf8').trimEnd());
