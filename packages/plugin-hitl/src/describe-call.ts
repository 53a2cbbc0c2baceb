import { isShallotError, type ToolCall } from '@shallot/core';
import { type ToolScope, visible, writtenInput, type ApprovalRequest } from '@shallot/core/plugin';

import { fileDiff } from './file-diff.ts';
import type { OnceForCall } from './once-for-call.ts';
import type { Rule } from './options.ts';
import { showArguments, showOutput } from './show-arguments.ts';

/** Returns the description of a call as it would be executed. */
export async function describeCall(
  call: ToolCall,
  rule: Rule,
  scope: ToolScope,
  once: OnceForCall,
): Promise<ApprovalRequest> {
  const { run, edit, output } = scope;
  const { describe } = rule;
  const said = describe === undefined ? null : await descriptionOf(describe, call, scope, once);
  const description = [said, unseenNote(call)].filter((part) => part !== null).join('\n\n');
  const { name, input } = call;
  const diff = await fileDiff({ name, input: output === undefined ? input : output.value }, run.files);
  return {
    tool: name,
    decisions: rule.decisions,
    arguments: showArguments(input),
    ...(output === undefined ? {} : { output: showOutput(output) }),
    ...(description === '' ? {} : { description: visible(description) }),
    ...(diff === undefined ? {} : { diff }),
    ...(edit === undefined
      ? {}
      : { changed: { by: edit.by, tool: edit.from.name, arguments: showArguments(edit.from.input) } }),
  };
}

/** Returns a note if the call contains values that the model never saw; otherwise null. */
function unseenNote(call: ToolCall): string | null {
  const written = writtenInput(call);
  if (written === undefined) return null;
  return `The model wrote ${JSON.stringify(written)} and never saw the values that stand in its place.`;
}

/**
 * Returns the policy's description of a call; null on a timeout, since the arguments are shown anyway. The result is
 * stored with `once`, because a different text after a resume would void the answer.
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
      run.warn('NOT_DESCRIBED', `${error.message} The question about ${call.name} has no description.`);
      return null;
    }
  });
}
