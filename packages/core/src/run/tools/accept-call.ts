import { describeValue } from '../../base/describe-value.ts';
import { ShallotError } from '../../base/errors.ts';
import { freezeJson } from '../../base/json.ts';
import { checkMetadata, describeOdd, oddMember } from '../../contract/tool-result.ts';
import type { ToolCall } from '../../contract/tool.ts';
import { badNext } from '../../hooks/bad-result.ts';
import type { LiveTap } from '../../hooks/live-tap.ts';

const members: readonly string[] = [
  'id',
  'name',
  'input',
  'raw',
  'index',
  'metadata',
] satisfies (keyof ToolCall)[];

/** Takes over the call that a layer or a gate passes on: frozen, with the id of the one it was given. @throws `HOOK_RESULT`, `VALUE_NOT_JSON` */
export function acceptCall(tap: LiveTap, passed: unknown, given: ToolCall): ToolCall {
  if (typeof passed !== 'object' || passed === null || !('name' in passed) || !('input' in passed)) {
    throw badNext(tap, describeValue(passed), 'a tool call: spread the one it received');
  }
  const { plugin, hook } = tap.info;
  const odd = oddMember(passed, members);
  if (odd !== undefined) {
    const message = `${plugin} passed a call of ${given.name} to next with ${describeOdd(odd, 'A call', members)}.`;
    throw new ShallotError('HOOK_RESULT', { message, plugin, hook });
  }
  // The members were checked by name just now; their types are checked below.
  const { name, input, metadata } = passed as ToolCall;
  if (typeof name !== 'string')
    throw badNext(tap, `a call whose name is ${describeValue(name)}`, 'a tool call with a name');
  freezeJson(input, 'call.input', plugin);
  if (metadata !== undefined) checkMetadata(metadata, 'call.metadata', plugin);
  if (name === given.name && input === given.input && metadata === given.metadata) return given;
  const { id, index } = given;
  // Arguments that are not valid JSON stay so until somebody replaces them.
  const { raw } = input === given.input ? given : {};
  return Object.freeze({
    id,
    index,
    name,
    input,
    ...(raw === undefined ? {} : { raw }),
    ...(metadata === undefined ? {} : { metadata }),
  });
}
