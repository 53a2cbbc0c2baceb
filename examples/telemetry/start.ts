// `npm start -- "…"`: runs an agent, an SDK and a receiver in one process.
import { loadAgent } from '@shallot/core/config';

import { drawSpans } from './draw-spans.ts';
import { startReceiver } from './receiver.ts';
import { startTracing } from './tracing.ts';

const question = process.argv.slice(2).join(' ') || 'When is the honey harvested?';

await using receiver = await startReceiver();
const stopTracing = startTracing(receiver.url);

const { agent } = await loadAgent({ cwd: import.meta.dirname });
const { text } = await agent.run(question);
await agent.close();
await stopTracing();

console.log(`${text}\n\nWhat the receiver got (${receiver.spans.length} spans):\n`);
console.log(drawSpans(receiver.spans).join('\n'));
