import { inlinePlugin } from '@shallot/core/testing';

/** Calls the model a second time when the first call fails; outside of telemetry's own layer. */
export const retry = inlinePlugin(
  'retry',
  ({ hooks }) =>
    hooks.wrapModelCall.tapPromise({ name: 'again', internal: true }, async (request, next) => {
      try {
        return await next(request);
      } catch {
        return next(request);
      }
    }),
  { priority: 36 },
);
