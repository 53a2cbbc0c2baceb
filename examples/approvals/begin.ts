// Process one: prepares the desk, and runs the agent until it asks.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';

import { loadAgent } from '@shallot/core/config';

const folder = import.meta.dirname;
rmSync(`${folder}/.shallot`, { recursive: true, force: true });
mkdirSync(`${folder}/.shallot/desk`, { recursive: true });
writeFileSync(`${folder}/.shallot/desk/letters.txt`, 'Dear Ada …\n');

const { agent } = await loadAgent({ cwd: folder });
const { outcome, interrupts } = await agent.run('Tidy my desk.', { sessionId: 'desk' });
await agent.close();
console.log(`${outcome}: ${interrupts.length} approvals are pending`);
