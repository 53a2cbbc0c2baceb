import { definePlugin } from '../../src/contract/define-plugin.ts';
import type { Run } from '../../src/contract/hooks.ts';
import { textOf } from '../../src/contract/messages.ts';
import type { Plugin } from '../../src/contract/plugin.ts';
import type { Moments } from './moments.ts';

/** The hooks in which a run may be ended, once it has done all of its work. */
export const ends = ['nowhere', 'beforeModel', 'wrapModelCall', 'afterModel', 'wrapToolCall'] as const;
export type End = (typeof ends)[number];

/** Creates a plugin that ends the run in one hook, once per process. */
export function endingPlugin(where: End): Plugin {
  const last = 'All is well.';
  let hasEnded = false;
  const end = (run: Pick<Run, 'end'>): void => {
    if (!hasEnded) run.end('Enough.', { reason: 'limit' });
    hasEnded = true;
  };
  return definePlugin({
    name: 'ending',
    setup({ hooks }) {
      if (where === 'beforeModel')
        hooks.beforeModel.tap('end', ({ messages }, run) => {
          if (messages.some((message) => message.role === 'tool' && message.name === 'note')) end(run);
        });
      if (where === 'wrapModelCall')
        hooks.wrapModelCall.tap('end', async (request, next, { run }) => {
          const response = await next(request);
          if (textOf(response.message) === last) end(run);
          return response;
        });
      if (where === 'afterModel')
        hooks.afterModel.tap('end', ({ message }, run) => {
          if (textOf(message) === last) end(run);
        });
      if (where === 'wrapToolCall')
        hooks.wrapToolCall.tap('end', async (call, next, { run }) => {
          const result = await next(call);
          if (call.name === 'note') end(run);
          return result;
        });
    },
  })();
}

/** Creates a plugin with taps that throw synchronously when `breakHook` has been called. */
export function breakingPlugin(moments: Moments): Plugin {
  return definePlugin({
    name: 'breaking',
    beforeAgent: () => moments.passHook(),
    beforeModel: () => moments.passHook(),
    afterModel: () => moments.passHook(),
  })();
}
