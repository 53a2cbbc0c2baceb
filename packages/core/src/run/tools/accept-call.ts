import { describeValue } from '../../base/describe-value.ts';
import { ShallotError } from '../../base/errors.ts';
import { frozenJson } from '../../base/json/frozen-json.ts';
import { describeOdd, oddMember, takeMetadata } from '../../contract/tool-result.ts';
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

/**
 * Validates the call that a layer or gate passes to `next`. Returns it frozen, with the id of the given call. @throws
 * `HOOK_RESULT`, `VALUE_NOT_JSON`
 */
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
  // The member names were checked above; the types are checked below.
  const call = passed as ToolCall;
  const { name } = call;
  if (typeof name !== 'string')
    throw badNext(tap, `a call whose name is ${describeValue(name)}`, 'a tool call with a name');
  const input = frozenJson(call.input, 'call.input', plugin);
  const metadata =
    call.metadata === undefined ? undefined : takeMetadata(call.metadata, 'call.metadata', plugin);
  if (name === given.name && input === given.input && metadata === given.metadata) return given;
  const { id, index } = given;
  // Arguments that are not valid JSON are kept as text until a layer replaces the input.
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
