import type { Tally } from '../tally.ts';
import type { Workload } from '../workload.ts';
import type { Emit, Layer } from './shapes.ts';

/** The pass-through plugins of a workload, each with functions of its own, as separate plugins would have. */
export function createLayers({ layers, transform }: Workload, tally: Tally): readonly Layer[] {
  return Array.from({ length: layers }, () => createLayer(transform, tally));
}

function createLayer(transform: boolean, tally: Tally): Layer {
  return {
    beforeModel() {
      tally.beforeModel += 1;
      return undefined;
    },
    afterModel() {
      tally.afterModel += 1;
      return undefined;
    },
    async wrapModelCall(request, next, emit) {
      tally.wrapModelCall += 1;
      return await next(request, transform && emit ? replacing(emit, tally) : emit);
    },
    async wrapToolCall(call, next) {
      tally.wrapToolCall += 1;
      return await next(call);
    },
  };
}

function replacing(emit: Emit, tally: Tally): Emit {
  return function emitReplaced(chunk) {
    tally.transformed += 1;
    emit({ type: chunk.type, index: chunk.index, text: chunk.text });
  };
}
