import { definePlugin, ShallotError, type Message, type RunInfo } from '@shallot/core';
import type { ModelRequest } from '@shallot/core/model';
import { checkToolPatterns, safeCut } from '@shallot/core/plugin';

import manifest from '../package.json' with { type: 'json' };
import { contextEditingOptions, type Settings } from './options.ts';
import { ResultClearing } from './result-clearing.ts';
import { stripToolCalls } from './strip-tool-calls.ts';

/** Shortens the conversation that is sent to a model. The stored conversation changes only with `persist`. */
export const contextEditing = definePlugin({
  name: 'context-editing',
  version: manifest.version,
  api: manifest.shallot.api,
  priority: 52,
  options: contextEditingOptions,
  setup({ options, hooks, state, tokens, onReady, log }) {
    checkOptions(options);
    const clearing =
      options.clearToolResults && new ResultClearing(options.clearToolResults, { state, tokens });
    onReady((agent) =>
      checkToolPatterns(options.clearToolResults?.exclude ?? [], agent, {
        plugin: 'context-editing',
        what: 'The option exclude',
        log,
      }),
    );
    const edit = (request: ModelRequest, run: RunInfo): ModelRequest | undefined => {
      const cut = shorten(request.messages, options);
      const messages = clearing === undefined ? cut : clearing.clear(cut, request.model, run);
      return messages === request.messages ? undefined : { ...request, messages };
    };
    if (options.persist) hooks.beforeModel.tap('edit', edit);
    else hooks.wrapModelCall.tap('edit', (request, next, { run }) => next(edit(request, run) ?? request));
  },
});

/** The same list where there is nothing to leave out. */
function shorten(
  messages: readonly Message[],
  { lastN, stripToolCalls: strips }: Settings,
): readonly Message[] {
  const last = lastN === undefined || messages.length <= lastN ? messages : lastOf(messages, lastN);
  return strips ? stripToolCalls(last) : last;
}

/** The last messages; they begin with the user, as several providers demand. */
function lastOf(messages: readonly Message[], count: number): readonly Message[] {
  const { at, kept } = safeCut(messages, messages.length - count);
  if (kept.find(({ role }) => role !== 'system')?.role !== 'assistant') return kept;
  const next = messages.findIndex(({ role }, index) => index >= at && role === 'user');
  return next === -1 ? kept : safeCut(messages, next).kept;
}

function checkOptions({ lastN, stripToolCalls: strips, clearToolResults }: Settings): void {
  if (lastN !== undefined || strips || clearToolResults !== undefined) return;
  throw new ShallotError('context-editing/NOTHING_TO_EDIT', {
    message:
      'The options of context-editing ask for nothing. Set lastN, stripToolCalls or clearToolResults; {} is enough for the last.',
  });
}
