import compose from 'koa-compose';

import { loopAgent } from '../floor/agent.ts';
import { createLayers } from '../floor/layer.ts';
import type { Chains } from '../floor/loop.ts';
import { createModel, createTool } from '../floor/model.ts';
import type { Call, Emit, Layer, ModelCall, Request, Response, Result, ToolRun } from '../floor/shapes.ts';
import { defineSubject } from '../subject.ts';
import { layerPlaces } from '../tally.ts';

/** The same loop, with a koa-compose stack for each of the four chains. */
export const subject = defineSubject({
  places: layerPlaces,
  transforms: false,
  create(workload, tally) {
    const layers = createLayers(workload, tally);
    return loopAgent(
      composeStacks(layers, createModel(workload, tally), createTool(workload, tally)),
      workload,
      tally,
    );
  },
});

interface ModelContext {
  request: Request;
  emit: Emit | undefined;
  response: Response | undefined;
}

interface ToolContext {
  call: Call;
  result: Result | undefined;
}

function composeStacks(layers: readonly Layer[], model: ModelCall, tool: ToolRun): Chains {
  const before = compose<{ request: Request }>(
    layers.map((layer) => async (context, next) => {
      context.request = (await layer.beforeModel(context.request)) ?? context.request;
      return next();
    }),
  );
  const after = compose<{ response: Response }>(
    layers.toReversed().map((layer) => async (context, next) => {
      context.response = (await layer.afterModel(context.response)) ?? context.response;
      return next();
    }),
  );
  const callModel = compose<ModelContext>([
    ...layers.map((layer) => async (context: ModelContext, next: () => Promise<void>) => {
      const nextModel: ModelCall = async (request, emit) => {
        context.request = request;
        context.emit = emit;
        await next();
        return present(context.response);
      };
      context.response = await layer.wrapModelCall(context.request, nextModel, context.emit);
    }),
    async (context) => {
      context.response = await model(context.request, context.emit);
    },
  ]);
  const runTool = compose<ToolContext>([
    ...layers.map((layer) => async (context: ToolContext, next: () => Promise<void>) => {
      const nextTool: ToolRun = async (call) => {
        context.call = call;
        await next();
        return present(context.result);
      };
      context.result = await layer.wrapToolCall(context.call, nextTool);
    }),
    async (context) => {
      context.result = await tool(context.call);
    },
  ]);
  return {
    async beforeModel(request) {
      const context = { request };
      await before(context);
      return context.request;
    },
    async callModel(request, emit) {
      const context: ModelContext = { request, emit, response: undefined };
      await callModel(context);
      return present(context.response);
    },
    async afterModel(response) {
      const context = { response };
      await after(context);
      return context.response;
    },
    async runTool(call) {
      const context: ToolContext = { call, result: undefined };
      await runTool(context);
      return present(context.result);
    },
  };
}

function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('a layer gave no result');
  return value;
}
