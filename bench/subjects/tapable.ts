import { AsyncSeriesWaterfallHook, SyncWaterfallHook } from 'tapable';

import { loopAgent } from '../floor/agent.ts';
import { createLayers } from '../floor/layer.ts';
import type { Chains } from '../floor/loop.ts';
import { createModel, createTool } from '../floor/model.ts';
import type { Layer, ModelCall, Request, Response, ToolRun } from '../floor/shapes.ts';
import { defineSubject } from '../subject.ts';
import { layerPlaces } from '../tally.ts';

/**
 * The same loop on tapable's own hooks: a series waterfall before and after calls. Tapable has no hook for onions, so
 * each of these is a waterfall in which every layer wraps the function that it receives.
 */
export const subject = defineSubject({
  places: layerPlaces,
  transforms: true,
  create(workload, tally) {
    const layers = createLayers(workload, tally);
    const chains = tapLayers(layers, createModel(workload, tally), createTool(workload, tally));
    return loopAgent(chains, workload, tally);
  },
});

function tapLayers(layers: readonly Layer[], model: ModelCall, tool: ToolRun): Chains {
  const beforeModel = new AsyncSeriesWaterfallHook<[Request]>(['request']);
  const afterModel = new AsyncSeriesWaterfallHook<[Response]>(['response']);
  const wrapModelCall = new SyncWaterfallHook<[ModelCall]>(['next']);
  const wrapToolCall = new SyncWaterfallHook<[ToolRun]>(['next']);
  for (const [index, layer] of layers.entries()) {
    beforeModel.tapPromise(
      { name: `layer-${index}`, stage: index },
      async (request) => (await layer.beforeModel(request)) ?? request,
    );
    const inside = { name: `layer-${index}`, stage: -index };
    afterModel.tapPromise(inside, async (response) => (await layer.afterModel(response)) ?? response);
    wrapModelCall.tap(inside, (next) => (request, emit) => layer.wrapModelCall(request, next, emit));
    wrapToolCall.tap(inside, (next) => (call) => layer.wrapToolCall(call, next));
  }
  return {
    beforeModel: (request) => beforeModel.promise(request),
    callModel: wrapModelCall.call(model),
    afterModel: (response) => afterModel.promise(response),
    runTool: wrapToolCall.call(tool),
  };
}
