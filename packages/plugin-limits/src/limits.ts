import { definePlugin } from '@shallot/core';
import { checkToolPatterns, loadPrices } from '@shallot/core/plugin';

import manifest from '../package.json' with { type: 'json' };
import { boundsOf } from './bounds.ts';
import { Counters } from './counters.ts';
import { LimitKeeper } from './limit-keeper.ts';
import { limitsOptions } from './options.ts';

/** Further in than retries, fallbacks and time-outs: what passes here is sent. */
const innermost = 2;

/** Keeps runs and sessions within limits: model calls, tool calls, tokens, cost and time. */
export const limits = definePlugin({
  name: 'limits',
  version: manifest.version,
  api: manifest.shallot.api,
  priority: 75,
  options: limitsOptions,
  async setup({ id, options, hooks, state, aroundRun, onReady, log }) {
    const keeper = new LimitKeeper({
      id,
      bounds: boundsOf(options),
      counters: new Counters(state, options.warnAt),
      prices: options.prices && (await loadPrices(options.prices)),
    });
    onReady((agent) => {
      keeper.checkPrice(agent.model.id);
      checkToolPatterns(Object.keys(options.toolCalls?.tools ?? {}), agent, {
        plugin: 'limits',
        what: 'A limit',
        log,
      });
    });
    if (keeper.keepsTime) {
      aroundRun((run, next) => keeper.clock.during(run, next));
      hooks.afterAgent.tap('time', (_result, run) => keeper.countTime(run));
    }
    if (keeper.keepsModels) {
      hooks.beforeModel.tap('check', (_request, run) => keeper.enterStep(run));
      hooks.wrapModelCall.tap(
        { name: 'count', priority: innermost, internal: true },
        (request, next, { run }) => keeper.enterModelCall(request, next, run),
      );
      hooks.wrapModelCall.tap('end', (request, next, { run }) => keeper.endAtLimit(next(request), run));
    }
    hooks.wrapToolCall.tap('count', (call, next, scope) => keeper.enterToolCall(call, next, scope));
  },
});
