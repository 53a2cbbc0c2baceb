import {
  textOf as textOfMessage,
  type JsonObject,
  type JsonValue,
  type ToolCall,
  type ToolResult,
} from '@shallot/core';
import { textPart, type ToolScope, isJsonObject } from '@shallot/core/plugin';

import type { Hook } from '../hook.ts';
import { keyOf, rootOf, type HookRuns } from './hook-runs.ts';
import { readSaid, showMessage, warnOfFailure } from './said.ts';

/**
 * Passes the result of an executed call to a hook, which may end the run, and returns it as the hook changes it. A result
 * that the event is not about stays as it is.
 */
export async function afterTool(
  hook: Hook,
  call: ToolCall,
  result: ToolResult,
  { run, once, signal }: ToolScope,
  runs: HookRuns,
): Promise<ToolResult> {
  if (result.denied !== undefined || (hook.event === 'PostToolUseFailure') !== (result.isError === true))
    return result;
  const text = textOfMessage(result);
  const foreign = runs.words.toForeign(call, rootOf(run));
  const about: JsonObject =
    hook.event === 'PostToolUseFailure'
      ? { error: text, is_interrupt: false }
      : { tool_response: responseOf(foreign, result, text) };
  const outcome = await once(keyOf(hook, call, text), () =>
    runs.call(hook, { ...foreign, ...about, tool_use_id: call.id }, run, signal),
  );
  if (outcome.is === 'failed') {
    if (hook.onFailure === 'stop') {
      const why = `The call was executed, but its result is withheld: the hook ${hook.label} failed: ${outcome.reason}`;
      return { content: [textPart(why)], isError: true };
    }
    warnOfFailure(hook, outcome.reason, run);
    return result;
  }
  const said = readSaid(hook, outcome);
  showMessage(hook, said, run);
  if (said.ends !== undefined) run.end(said.ends.reason);
  const replaced = said.specific['updatedToolOutput'] ?? said.specific['updatedMCPToolOutput'];
  const content = replaced === undefined ? result.content : [textPart(inText(replaced))];
  const added = [said.blocks, said.context]
    .filter((each) => each !== undefined)
    .map((each) => textPart(each));
  if (replaced === undefined)
    return added.length === 0 ? result : { ...result, content: [...content, ...added] };
  // The data for programs no longer matches the changed content.
  const { data: _, ...rest } = result;
  return { ...rest, content: [...content, ...added] };
}

/** Returns a result in the form that scripts know from the tool of this name. */
function responseOf(
  { tool_name: name, tool_input: input }: Foreign,
  { data }: ToolResult,
  text: string,
): JsonValue {
  const path = isJsonObject(input) ? input['file_path'] : undefined;
  if (name === 'Bash') return { stdout: text, stderr: '', interrupted: false, isImage: false };
  if (name === 'Read') return { type: 'text', file: { filePath: path ?? '', content: text } };
  if (path !== undefined) return { filePath: path, success: true };
  return data ?? text;
}

type Foreign = ReturnType<HookRuns['words']['toForeign']>;

function inText(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
