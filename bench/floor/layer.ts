import { note } from '../script.ts';
import type { Tally } from '../tally.ts';
import type { Workload } from '../workload.ts';
import type { Emit, Layer, Message, Request } from './shapes.ts';

/** Returns the pass-through plugins of a workload. Each has its own functions, as separate plugins would. */
export function createLayers(workload: Workload, tally: Tally): readonly Layer[] {
  return Array.from({ length: workload.layers }, () => createLayer(workload, tally));
}

function createLayer({ transform, adds }: Workload, tally: Tally): Layer {
  return {
    async beforeModel() {
      tally.beforeModel += 1;
      return undefined;
    },
    async afterModel() {
      tally.afterModel += 1;
      return undefined;
    },
    async wrapModelCall(request, next, emit) {
      tally.wrapModelCall += 1;
      return await next(
        adds ? withNote(request) : request,
        transform && emit ? replacing(emit, tally) : emit,
      );
    },
    async wrapToolCall(call, next) {
      tally.wrapToolCall += 1;
      return await next(call);
    },
  };
}

function withNote(request: Request): Request {
  const added: Message = { role: 'user', id: 'note', content: [{ type: 'text', text: note }] };
  return { ...request, messages: [...request.messages, added] };
}

function replacing(emit: Emit, tally: Tally): Emit {
  return function emitReplaced(chunk) {
    tally.transformed += 1;
    emit({ type: chunk.type, index: chunk.index, text: chunk.text });
  };
}
