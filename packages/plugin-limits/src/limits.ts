import { definePlugin } from '@shallot/core';
import { checkToolPatterns, timeLimitKey } from '@shallot/core/plugin';

import manifest from '../package.json' with { type: 'json' };
import { boundsOf } from './bounds.ts';
import { Counters } from './counters.ts';
import { LimitKeeper } from './limit-keeper.ts';
import { limitsOptions, type Settings } from './options.ts';
import { pricesOf } from './prices-of.ts';

/** Inside of retries, fallbacks and timeouts, so that every call counted here is sent. */
const innermost = 2;

/** Limits the model calls, tool calls, tokens, cost and time of runs and sessions. */
export const limits = definePlugin({
  name: 'limits',
  version: manifest.version,
  api: manifest.shallot.api,
  priority: 75,
  options: limitsOptions,
  async setup({ id, options, hooks, state, tokens, aroundRun, onReady, provide, locateOption, log }) {
    const keeper = new LimitKeeper({
      id,
      bounds: boundsOf(options),
      counters: new Counters(state, options.warnAt),
      prices: await pricesOf(options),
      tokens,
      warnAt: options.warnAt,
    });
    onReady((agent) => {
      for (const model of agent.models) keeper.checkPrice(model.id);
      checkToolPatterns(patternsOf(options), agent, {
        plugin: 'limits',
        what: 'A limit',
        log,
        locate:
          locateOption &&
          ((name) => locateOption(name === '*' ? ['toolCalls'] : ['toolCalls', 'tools', name])),
      });
    });
    if (keeper.keepsTime) {
      provide(timeLimitKey(id), { left: (run) => keeper.timeLeft(run) });
      aroundRun((run, next) => keeper.clock.during(run, next));
      hooks.afterAgent.tap('time', (_result, run) => keeper.countTime(run));
    }
    if (keeper.keepsModels) {
      hooks.beforeModel.tap({ name: 'check', tree: true }, (_request, run) => keeper.enterStep(run));
      hooks.wrapModelCall.tap(
        { name: 'count', priority: innermost, internal: true, tree: true },
        (request, next, { run }) => keeper.enterModelCall(request, next, run),
      );
      hooks.wrapModelCall.tap({ name: 'end', tree: true }, (request, next, { run }) =>
        keeper.endAtLimit(next(request), run),
      );
    }
    hooks.wrapToolCall.tap({ name: 'count', tree: true }, (call, next, scope) =>
      keeper.enterToolCall(call, next, scope),
    );
  },
});

/** Returns the tool patterns with limits; `*` for the total. */
function patternsOf({ toolCalls }: Settings): readonly string[] {
  if (toolCalls === undefined) return [];
  const { run, session, tools } = toolCalls;
  const total = run === undefined && session === undefined ? [] : ['*'];
  return [...total, ...Object.keys(tools)];
}
