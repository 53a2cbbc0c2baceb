// Process three: continues with the answers. After a crash, run it again.
import { readdirSync, readFileSync } from 'node:fs';

import { loadAgent } from '@shallot/core/config';

const { agent } = await loadAgent({ cwd: import.meta.dirname });
const { outcome, text } = await agent.resume('desk');
await agent.close();
console.log(`${outcome}: ${text}\n\nOn the desk:`);

const desk = `${import.meta.dirname}/.shallot/desk`;
for (const name of readdirSync(desk).toSorted()) {
  console.log(`  ${name}: ${JSON.stringify(readFileSync(`${desk}/${name}`, 'utf8'))}`);
}
