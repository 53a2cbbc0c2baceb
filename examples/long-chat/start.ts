// `npm start`: writes a novel of twenty chapters with a model whose context holds about four, and asks at the end what was said
// at the beginning.
import { rmSync } from 'node:fs';

import { loadAgent } from '@shallot/core/config';

import { turns } from './turns.ts';

const folder = import.meta.dirname;
rmSync(`${folder}/.shallot`, { recursive: true, force: true });
const { agent } = await loadAgent({ cwd: folder });

for (const text of turns) {
  console.log(`> ${text}`);
  const stream = agent.stream(text, { sessionId: 'novel' });
  for await (const event of stream) {
    if (event.type === 'message') console.log(`  ${event.usage?.input} tokens in the request`);
    if (event.type === 'plugin') console.log(`  ${event.name} ${JSON.stringify(event.data)}`);
  }
  console.log((await stream.result).text);
}

const session = await agent.session('novel');
console.log(`\nThe session has ${session?.messages.length} messages.`);
console.log('All the others are in .shallot/conversation_history/novel.md');
await agent.close();
