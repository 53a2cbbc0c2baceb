import { ShallotError, textOf, type Message, type MessageInput } from '@shallot/core';
import type { InputContext } from '@shallot/core/plugin';

import type { Hook } from '../hook.ts';
import { contextMessage } from './context-message.ts';
import { hookFailure } from './hook-failure.ts';
import type { HookRuns } from './hook-runs.ts';
import { readSaid } from './said.ts';

/**
 * Passes an input to a hook of UserPromptSubmit. Returns the messages with context that the hook adds; undefined without
 * any. @throws `hooks/PROMPT_BLOCKED`, `hooks/HOOK_FAILED`
 */
export async function checkPrompt(
  hook: Hook,
  messages: readonly Message[],
  { kind, sessionId, signal, log }: InputContext,
  runs: HookRuns,
): Promise<readonly MessageInput[] | undefined> {
  const prompt = messages
    .filter(({ role }) => role === 'user')
    .map(textOf)
    .join('\n\n');
  if (kind !== 'input' || prompt === '') return undefined;
  const outcome = await runs.callOnInput(hook, prompt, sessionId, signal);
  if (outcome.is === 'failed') {
    if (hook.onFailure === 'stop') throw hookFailure(hook, outcome.reason);
    log.warn(
      { code: 'hooks/HOOK_FAILED' },
      `The hook ${hook.label} failed, and was passed over: ${outcome.reason}`,
    );
    return undefined;
  }
  const said = readSaid(hook, outcome);
  const why =
    said.ends === undefined ? said.blocks : (said.ends.reason ?? said.blocks ?? 'it gave no reason');
  if (why !== undefined)
    throw new ShallotError('hooks/PROMPT_BLOCKED', {
      message: `The hook ${hook.label} blocked the input: ${why}`,
      plugin: 'hooks',
    });
  return said.context === undefined ? undefined : [contextMessage(said.context), ...messages];
}
