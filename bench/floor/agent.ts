import type { Subject } from '../subject.ts';
import type { Tally } from '../tally.ts';
import type { Workload } from '../workload.ts';
import { ChunkQueue } from './chunk-queue.ts';
import { type Chains, newSession, runLoop } from './loop.ts';
import type { Message } from './shapes.ts';

/** A subject that runs the hand-written loop over the given chains. */
export function loopAgent(chains: Chains, workload: Workload, tally: Tally): Subject<Message[]> {
  const history = newSession(workload.history);
  const isInput = workload.historyIn === 'input';
  return {
    open: () => (isInput ? [] : [...history]),
    async run(session) {
      if (workload.chunks === 0) {
        await runLoop(chains, isInput ? [...history] : session);
        return;
      }
      const queue = new ChunkQueue();
      const running = runLoop(chains, session, (chunk) => queue.push(chunk)).finally(() => queue.close());
      for await (const chunk of queue) tally.delivered += chunk.text.length;
      await running;
    },
    forget: (session) => {
      session.length = 0;
    },
  };
}
