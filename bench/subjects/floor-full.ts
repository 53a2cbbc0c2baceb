import { ChunkQueue } from '../floor/chunk-queue.ts';
import { type Commits, composeBlamed, type Listener, runFullLoop } from '../floor/full-loop.ts';
import { createLayers } from '../floor/layer.ts';
import { newSession } from '../floor/loop.ts';
import { createModel, createTool } from '../floor/model.ts';
import { defineSubject } from '../subject.ts';
import { layerPlaces } from '../tally.ts';

/** The hand-written loop with argument checks, events, commits, abort and blame. */
export const subject = defineSubject({
  places: layerPlaces,
  transforms: true,
  create(workload, tally) {
    const layers = createLayers(workload, tally);
    const chains = composeBlamed(layers, createModel(workload, tally), createTool(workload, tally));
    const commits: Commits = new Map();
    const listeners = new Set<Listener>();
    const history = newSession(workload.history);
    let sessions = 0;
    return {
      open() {
        sessions += 1;
        const session = `session-${sessions}`;
        if (history.length > 0) commits.set(session, { revision: 0, messages: [...history] });
        return session;
      },
      async run(session: string) {
        if (workload.chunks === 0) {
          await runFullLoop(chains, commits, session, listeners);
          return;
        }
        const queue = new ChunkQueue();
        const push = (chunk: Parameters<ChunkQueue['push']>[0]): void => queue.push(chunk);
        const running = runFullLoop(chains, commits, session, listeners, push).finally(() => queue.close());
        for await (const chunk of queue) tally.delivered += chunk.text.length;
        await running;
      },
      forget(session: string) {
        commits.delete(session);
      },
    };
  },
});
