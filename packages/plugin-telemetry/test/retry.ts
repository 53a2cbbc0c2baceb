import { definePlugin } from '@shallot/core';

/** Calls the model a second time when the first call fails; outside of telemetry's own layer. */
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
