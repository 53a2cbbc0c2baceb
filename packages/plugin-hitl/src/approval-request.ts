import { isShallotError, type ToolCall, type ToolScope } from '@shallot/core';

import type { DecisionKind } from './decision.ts';
import { fileDiff } from './file-diff.ts';
import type { OnceForCall } from './once-for-call.ts';
import type { Rule } from './options.ts';
import { showArguments, showOutput } from './show-arguments.ts';
import { visible } from './visible.ts';

/**
 * What a person is shown: the payload of an interrupt of the kind `approval`, all of it safe to print. The arguments as
 * JSON, to edit, are in the interrupt's `call`.
 */
export interface ApprovalRequest {
  readonly tool: string;
  readonly decisions: readonly DecisionKind[];
  /** All of them, as text; hidden characters are written as `⟨U+202E⟩`. */
  readonly arguments: string;
  /** What the tool's schema makes of the arguments, where that is something else: it is executed with these. */
  readonly output?: string;
  /** What the policy says about the call. */
  readonly description?: string;
  /** For edits of files: a unified diff, or in parentheses why there is none. */
  readonly diff?: string;
  /** When a gate has changed the call: who, and what it was. */
  readonly changed?: { readonly by: string; readonly tool: string; readonly arguments: string };
}

/** Describes a call as it would be executed. */
export async function describeCall(
  call: ToolCall,
  rule: Rule,
  scope: ToolScope,
  once: OnceForCall,
): Promise<ApprovalRequest> {
  const { run, edit, output } = scope;
  const { describe } = rule;
  const description = describe === undefined ? null : await descriptionOf(describe, call, scope, once);
  const { name, input } = call;
  const diff = await fileDiff({ name, input: output === undefined ? input : output.value }, run.files);
  return {
    tool: name,
    decisions: rule.decisions,
    arguments: showArguments(input),
    ...(output === undefined ? {} : { output: showOutput(output) }),
    ...(description === null ? {} : { description: visible(description) }),
    ...(diff === undefined ? {} : { diff }),
    ...(edit === undefined
      ? {}
      : { changed: { by: edit.by, tool: edit.from.name, arguments: showArguments(edit.from.input) } }),
  };
}

/**
 * What the policy says about a call; null when it takes too long, as the arguments are shown in any case. Committed: a text
 * that comes out otherwise the next time would make every answer a stale one.
 */
function descriptionOf(
  describe: NonNullable<Rule['describe']>,
  call: ToolCall,
  { run, output, inTime }: ToolScope,
  once: OnceForCall,
): Promise<string | null> {
  return once('describe', async () => {
    try {
      return await inTime('describe', () => describe(call, run, output));
    } catch (error) {
      if (!isShallotError(error, 'HOOK_TIMEOUT')) throw error;
      run.warn(
        'NOT_DESCRIBED',
        `${error.message} The call of ${call.name} is asked about without a description.`,
      );
      return null;
    }
  });
}
