import { definePlugin } from '@shallot/core';

/** Calls the model again if the first call fails, outside telemetry's own layer. */
export const retry = definePlugin({
  name: 'retry',
  priority: 36,
  setup: ({ hooks }) =>
    hooks.wrapModelCall.tapPromise({ name: 'again', internal: true }, async (request, next) => {
      try {
        return await next(request);
      } catch {
        return next(request);
      }
    }),
})();
