import { definePlugin } from '@shallot/core';

import manifest from '../package.json' with { type: 'json' };
import { repairOptions } from './options.ts';
import { repairCalls } from './repair-calls.ts';

/** Repairs the tool calls of a model's answer before anybody else sees them; each repair is a warning. */
export const repair = definePlugin({
  name: 'repair',
  version: manifest.version,
  api: manifest.shallot.api,
  options: repairOptions,
  setup({ options, hooks }) {
    hooks.wrapModelCall.tapPromise('repair', async function repairAnswer(request, next, { run }) {
      const response = await next(request);
      // A call that was cut off is not malformed: nobody knows how it would have continued.
      if (response.finish === 'length') return response;
      return repairCalls(response, request.tools ?? [], { ...options, warn: run.warn });
    });
  },
});
