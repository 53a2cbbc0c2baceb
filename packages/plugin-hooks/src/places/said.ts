import type { JsonObject, RunInfo } from '@shallot/core';
import { joinInstructions, isJsonObject } from '@shallot/core/plugin';

import { clip, type Outcome } from '../calling/outcome.ts';
import type { Hook } from '../hook.ts';

/** Events whose plain output is context for the model. */
const speaking: ReadonlySet<string> = new Set(['UserPromptSubmit', 'SessionStart', 'SubagentStart']);

/** The meaning of an outcome for any event. */
export interface Said {
  /** The reason to block what the event is about. */
  readonly blocks: string | undefined;
  /** Context for the model. */
  readonly context: string | undefined;
  /** Set if the run must end, with the reason for the user. */
  readonly ends: { readonly reason: string | undefined } | undefined;
  /** The members that only this event has. */
  readonly specific: JsonObject;
  readonly output: JsonObject;
}

/** Reads an outcome other than a failure. */
export function readSaid({ event }: Hook, outcome: Exclude<Outcome, { readonly is: 'failed' }>): Said {
  if (outcome.is === 'blocked')
    return { blocks: outcome.reason, context: undefined, ends: undefined, specific: {}, output: {} };
  const { output, text } = outcome;
  const specific = isJsonObject(output['hookSpecificOutput']) ? output['hookSpecificOutput'] : {};
  const context = joinInstructions(
    textOf(specific, 'additionalContext'),
    speaking.has(event) ? text : undefined,
  );
  const blocks =
    output['decision'] === 'block' ? (textOf(output, 'reason') ?? 'it gave no reason') : undefined;
  return {
    blocks,
    context: context === '' ? undefined : context,
    ends: output['continue'] === false ? { reason: textOf(output, 'stopReason') } : undefined,
    specific,
    output,
  };
}

/** Returns the beginning of a member that is a string with content; undefined for any other. */
export function textOf(from: JsonObject, member: string): string | undefined {
  const value = from[member];
  return typeof value === 'string' && value.trim() !== '' ? clip(value) : undefined;
}

/** Shows the user the message of a hook, if it has one. */
export function showMessage(hook: Hook, { output }: Said, run: Pick<RunInfo, 'warn'>): void {
  const message = textOf(output, 'systemMessage');
  if (message !== undefined) run.warn('HOOK_MESSAGE', `${hook.label}: ${message}`);
}

/** Warns that a hook failed, and that the run continues without it. */
export function warnOfFailure(hook: Hook, reason: string, run: Pick<RunInfo, 'warn'>): void {
  run.warn('HOOK_FAILED', `The hook ${hook.label} failed, and was passed over: ${reason}`);
}
