import { newSession } from '../floor/loop.ts';
import type { Chunk, Message } from '../floor/shapes.ts';
import { answer, chunkText } from '../script.ts';
import { defineSubject } from '../subject.ts';
import type { Tally } from '../tally.ts';
import type { Workload } from '../workload.ts';

/** One streamed model call through nested async generators: the other obvious way to give layers access to chunks. */
export const subject = defineSubject({
  places: ['wrapModelCall'],
  transforms: true,
  create(workload, tally) {
    let stream = modelStream(workload, tally);
    for (let layer = 0; layer < workload.layers; layer += 1) stream = createLayer(stream, workload, tally);
    return {
      open: () => newSession(workload.history),
      async run(session: Message[]) {
        for await (const chunk of stream()) tally.delivered += chunk.text.length;
        session.push({ role: 'assistant', id: 'a0', content: [{ type: 'text', text: answer }] });
      },
      forget(session: Message[]) {
        session.length = 0;
      },
    };
  },
});

type Stream = () => AsyncGenerator<Chunk, void, undefined>;

function modelStream({ chunks }: Workload, tally: Tally): Stream {
  return async function* generate() {
    tally.modelCalls += 1;
    for (let index = 0; index < chunks; index += 1) yield { type: 'text', index: 0, text: chunkText };
  };
}

function createLayer(inner: Stream, { transform }: Workload, tally: Tally): Stream {
  return async function* wrapModelCall() {
    tally.wrapModelCall += 1;
    if (!transform) return yield* inner();
    for await (const chunk of inner()) {
      tally.transformed += 1;
      yield { type: chunk.type, index: chunk.index, text: chunk.text };
    }
    return undefined;
  };
}
