import { toolCallsOf, type Message } from '../../contract/messages.ts';
import type { ModelRequest } from '../../contract/model.ts';
import { badNext, badResult } from '../../hooks/bad-result.ts';
import type { LiveTap } from '../../hooks/live-tap.ts';
import { arePaired, pairCalls, type Pairing } from '../../sessions/content/pairing.ts';
import { withOwnCalls } from '../../sessions/content/unique-calls.ts';
import type { Signs } from '../parts/signs.ts';
import type { PluginsInRun } from '../plugins-in-run.ts';
import type { RecordWriter } from '../record-writer.ts';
import type { RunParts } from '../run-parts.ts';
import { checkChoice, offersChoice } from './tool-choice.ts';

/** Returns the error for an invalid request: `beforeModel` returns one, a layer passes one to `next`. */
export function badRequest(tap: LiveTap, received: string, wanted: string): Error {
  return (tap.info.hook === 'beforeModel' ? badResult : badNext)(tap, received, wanted);
}

/**
 * Returns the messages of a request that a plugin changed, with a result for every call; repairs are reported as a
 * warning. @throws `HOOK_RESULT` for call ids that are not unique, naming the plugin
 */
export function checkMessages(run: RunParts, request: ModelRequest): readonly Message[] {
  const repeated = repeatedCall(request.messages);
  if (repeated !== undefined) {
    refuse(run, request, ({ messages }) => repeatedCall(messages) !== undefined, [
      `several calls with the call id "${repeated}"`,
      'calls with unique ids',
    ]);
  }
  const { plugins, record, signs } = run;
  return paired(record, signs, request.messages, () =>
    changerOf(plugins, request, ({ messages }) => !arePaired(messages)),
  );
}

/**
 * Checks that the request offers the tool that its `toolChoice` names. @throws `HOOK_RESULT` naming the plugin that changed
 * the choice or the tools, else `OPTION_INVALID`
 */
export function checkToolChoice(run: RunParts, request: ModelRequest): void {
  const { toolChoice } = request;
  if (typeof toolChoice !== 'object' || offersChoice(request)) return;
  refuse(run, request, (each) => typeof each.toolChoice === 'object' && !offersChoice(each), [
    `the tool "${toolChoice.tool}" as toolChoice, which the request does not offer`,
    'a tool of the request',
  ]);
  checkChoice(request);
}

/**
 * Adds missing results and drops results without a call, with a warning. Without `changer` the messages are added to the
 * session, and their calls get ids of their own.
 */
export function paired(
  record: RecordWriter,
  signs: Signs,
  messages: readonly Message[],
  changer?: () => LiveTap | undefined,
): readonly Message[] {
  const { newMessageId, session } = record;
  const own = changer === undefined ? withOwnCalls(messages, session, newMessageId) : messages;
  const pairing = pairCalls(own, newMessageId);
  const repairs = pairing.messages === own ? [] : repairsOf(pairing);
  if (repairs.length > 0) {
    const message = `The messages were not valid: ${repairs.join('; ')}.`;
    signs.warn('MESSAGES_REPAIRED', message, changer?.()?.info.plugin);
  }
  return pairing.messages;
}

function repairsOf({ answered, dropped }: Pairing): string[] {
  return [
    ...(answered.length > 0 ? [`calls without a result were answered (${answered.join(', ')})`] : []),
    ...(dropped.length > 0 ? [`results without a call were dropped (${dropped.join(', ')})`] : []),
  ];
}

/** Throws the error of the plugin that made a request invalid; does nothing if none did. */
function refuse(
  run: RunParts,
  request: ModelRequest,
  isInvalid: (request: ModelRequest) => boolean,
  [received, wanted]: readonly [received: string, wanted: string],
): void {
  const tap = changerOf(run.plugins, request, isInvalid);
  if (tap === undefined) return;
  const error = badRequest(tap, received, wanted);
  run.signs.blames.tap(tap, error);
  throw error;
}

/** Returns the tap that turned a valid request into this invalid one; undefined if it was invalid from the start. */
function changerOf(
  plugins: PluginsInRun,
  request: ModelRequest,
  isInvalid: (request: ModelRequest) => boolean,
): LiveTap | undefined {
  let change = plugins.changeOf(request);
  while (change !== undefined && isInvalid(change.given)) change = plugins.changeOf(change.given);
  return change?.tap;
}

/** Returns an id that several calls have; undefined if there is none. */
function repeatedCall(messages: readonly Message[]): string | undefined {
  const ids = new Set<string>();
  for (const message of messages) {
    if (message.role !== 'assistant') continue;
    for (const { id } of toolCallsOf(message)) {
      if (ids.has(id)) return id;
      ids.add(id);
    }
  }
  return undefined;
}
