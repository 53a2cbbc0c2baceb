import { definePlugin, ShallotError, type Message, type RunInfo } from '@shallot/core';
import type { ChatModel, ModelRequest } from '@shallot/core/model';
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
    onReady((agent) => {
      checkFractions(options, agent.model);
      checkToolPatterns(options.clearToolResults?.exclude ?? [], agent, {
        plugin: 'context-editing',
        what: 'The option exclude',
        log,
      });
    });
    const edit = (request: ModelRequest, run: RunInfo): ModelRequest | Promise<ModelRequest> => {
      const cut = shorten(request.messages, options);
      const messages = clearing === undefined ? cut : clearing.clear(cut, request.model, run);
      return messages instanceof Promise
        ? messages.then((each) => withMessages(request, each))
        : withMessages(request, messages);
    };
    if (options.persist) hooks.beforeModel.tap('edit', edit);
    else {
      hooks.wrapModelCall.tap('edit', (request, send, { run }) => {
        const edited = edit(request, run);
        return edited instanceof Promise ? edited.then(send) : send(edited);
      });
    }
  },
});

/** Returns the request with other messages; the same request if it already has them. */
function withMessages(request: ModelRequest, messages: readonly Message[]): ModelRequest {
  return messages === request.messages ? request : { ...request, messages };
}

/** Returns the messages that the settings leave; the same list if nothing is left out. */
function shorten(
  messages: readonly Message[],
  { lastN, stripToolCalls: strips }: Settings,
): readonly Message[] {
  const last = lastN === undefined || messages.length <= lastN ? messages : lastOf(messages, lastN);
  return strips ? stripToolCalls(last) : last;
}

/** Returns the last messages, beginning with a user message if there is one, as several providers require. */
function lastOf(messages: readonly Message[], count: number): readonly Message[] {
  const { at, kept } = safeCut(messages, messages.length - count);
  if (kept.find(({ role }) => role !== 'system')?.role !== 'assistant') return kept;
  const next = messages.findIndex(({ role }, index) => index >= at && role === 'user');
  return next === -1 ? kept : safeCut(messages, next).kept;
}

/** Checks that the context size is known if a size is a fraction of it. @throws `context-editing/CONTEXT_UNKNOWN` */
function checkFractions({ clearToolResults }: Settings, { id, limits }: ChatModel): void {
  const sizes = [clearToolResults?.trigger, clearToolResults?.clearAtLeast];
  if (limits?.contextTokens !== undefined || !sizes.some((size) => size && 'fraction' in size)) return;
  throw new ShallotError('context-editing/CONTEXT_UNKNOWN', {
    message: `A size of clearToolResults is a fraction, but the context size of ${id} is unknown. Set limits.contextTokens of the model (in a config: contextTokens in the model entry), or write the size as { tokens }.`,
  });
}

function checkOptions({ lastN, stripToolCalls: strips, clearToolResults }: Settings): void {
  if (lastN !== undefined || strips || clearToolResults !== undefined) return;
  throw new ShallotError('context-editing/NOTHING_TO_EDIT', {
    message:
      'The options of context-editing ask for nothing. Set lastN, stripToolCalls or clearToolResults; {} is enough for the last.',
  });
}
