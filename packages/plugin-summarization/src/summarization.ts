import { definePlugin } from '@shallot/core';
import { contextMeter, shorteningKey } from '@shallot/core/plugin';

import manifest from '../package.json' with { type: 'json' };
import { compactTool, withOutcome, type CompactRequest } from './compact-tool.ts';
import { condenseIfDue, condenseRequested } from './condense.ts';
import { Recovery } from './recovery.ts';
import { checkSizes, summarizationOptions } from './settings/options.ts';
import { nothingRemembered, type Remembered, type Workshop } from './settings/workshop.ts';

/**
 * Condenses a conversation before it outgrows the model's context: truncates long arguments of old tool calls, clears
 * old results, and if that is not enough, replaces old messages with a summary. Saves all messages in a file. If a
 * model rejects a request as too long, condenses it and sends it again.
 */
export const summarization = definePlugin({
  name: 'summarization',
  version: manifest.version,
  api: manifest.shallot.api,
  priority: 50,
  options: summarizationOptions,
  async setup({ id, options, hooks, tools, state, sessionPath, tokens, generate, ...setup }) {
    const { provide, onReady, resolveModel } = setup;
    const { historyDirectory: directory } = options;
    const shop: Workshop = {
      settings: options,
      writer: options.model === undefined ? undefined : await resolveModel(options.model),
      generate,
      tokens,
      meter: contextMeter({ hooks, state, tokens }),
      memory: state<Remembered>({ key: 'condensed', initial: () => nothingRemembered }),
      historyPath: directory === null ? undefined : sessionPath({ directory, extension: '.md' }),
    };
    const requested = state<CompactRequest | null>({ key: 'requested', scope: 'run', initial: () => null });
    if (options.compactTool) {
      tools.add(
        compactTool((run, callId, focus) =>
          requested.update(run, (before) => ({
            callIds: [...(before?.callIds ?? []), callId],
            focus: focus ?? before?.focus ?? null,
          })),
        ),
      );
    }
    let agentContext: number | undefined;
    onReady(({ model }) => {
      checkSizes(options, model);
      agentContext = model.limits?.contextTokens;
    });

    hooks.beforeModel.tap('condense', async function condense(request, run) {
      const counting = shop.meter.prepare(request, run);
      if (counting !== undefined) await counting;
      const wanted = requested.get(run);
      if (wanted === null) {
        const messages = await condenseIfDue(shop, request, run, agentContext);
        return messages && { ...request, messages };
      }
      requested.set(run, null);
      const focus = wanted.focus ?? undefined;
      const { messages, said } = await condenseRequested(shop, request, run, focus, agentContext);
      const shorter = messages ?? (await condenseIfDue(shop, request, run, agentContext));
      return { ...request, messages: withOutcome(shorter ?? request.messages, wanted, said) };
    });

    const recovery = new Recovery(shop);
    provide(shorteningKey(id), recovery);
    hooks.wrapModelCall.tapPromise('recover', async (request, next, scope) =>
      recovery.call(request, next, scope, agentContext),
    );
  },
});
