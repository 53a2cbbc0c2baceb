import { definePlugin, isShallotError } from '@shallot/core';
import { contextMeter } from '@shallot/core/plugin';

import manifest from '../package.json' with { type: 'json' };
import { compactTool } from './compact-tool.ts';
import { condenseIfDue, condenseNow } from './condense.ts';
import { checkSizes, summarizationOptions } from './options.ts';
import { nothingRemembered, type Remembered, type Workshop } from './workshop.ts';

/**
 * Condenses a conversation before it outgrows the model's context: long arguments of old tool calls are cut, then old
 * messages are appended to a file and replaced by a summary. What a model finds too long is condensed and sent again.
 */
export const summarization = definePlugin({
  name: 'summarization',
  version: manifest.version,
  api: manifest.shallot.api,
  priority: 50,
  options: summarizationOptions,
  async setup({ options, hooks, tools, state, tokens, generate, onReady, resolveModel }) {
    const shop: Workshop = {
      settings: options,
      writer: options.model === undefined ? undefined : await resolveModel(options.model),
      generate,
      tokens,
      meter: contextMeter({ hooks, state, tokens }),
      memory: state<Remembered>({ key: 'condensed', initial: () => nothingRemembered }),
    };
    const requested = state({ key: 'requested', scope: 'run', initial: () => false });
    if (options.compactTool) tools.add(compactTool((run) => requested.set(run, true)));
    let agentContext: number | undefined;
    onReady(({ model }) => {
      checkSizes(options, model);
      agentContext = model.limits?.contextTokens;
    });

    hooks.beforeModel.tap('condense', async function condense(request, run) {
      const isRequested = requested.get(run);
      if (isRequested) requested.set(run, false);
      const messages = await condenseIfDue(shop, request, run, isRequested, agentContext);
      return messages && { ...request, messages };
    });

    hooks.wrapModelCall.tapPromise('recover', async function recover(request, next, scope) {
      try {
        return await next(request);
      } catch (error) {
        if (!isShallotError(error, 'MODEL_CONTEXT_OVERFLOW')) throw error;
        const messages = await condenseNow(shop, request, scope.run, scope.signal, agentContext);
        if (messages === undefined) throw error;
        scope.replaceMessages(messages);
        return next({ ...request, messages });
      }
    });
  },
});
