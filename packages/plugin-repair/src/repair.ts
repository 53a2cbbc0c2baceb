import { definePlugin } from '@shallot/core';

import manifest from '../package.json' with { type: 'json' };
import { repairOptions } from './options.ts';
import { repairCalls } from './repair-calls.ts';

/** Repairs the tool calls of a response before other plugins see them, and reports each repair as a warning. */
export const repair = definePlugin({
  name: 'repair',
  version: manifest.version,
  api: manifest.shallot.api,
  options: repairOptions,
  setup({ options, hooks }) {
    hooks.wrapModelCall.tapPromise('repair', async function repairAnswer(request, next, { run }) {
      const response = await next(request);
      // A truncated call is not malformed: its continuation is unknown.
      if (response.finish === 'length') return response;
      return repairCalls(response, request.tools ?? [], { ...options, warn: run.warn });
    });
  },
});
