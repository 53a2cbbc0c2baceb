import { AssertionError } from 'node:assert';

import type { Message } from '@shallot/core';
import { toMessage, type ModelRequest } from '@shallot/core/model';
import { toolCallsOf } from '@shallot/core/plugin';

/**
 * Asserts that every provider would accept a request: messages are complete and have unique ids; exactly one result
 * follows each tool call, directly and in order; no result lacks a call; tools have unique names and are absent rather
 * than empty.
 * @throws `AssertionError` that lists every violation
 */
export function assertValidRequest(request: ModelRequest): void {
  const problems = [
    ...messageProblems(request.messages),
    ...pairingProblems(request.messages),
    ...toolProblems(request),
  ];
  if (problems.length === 0) return;
  throw new AssertionError({
    message: `A model was sent a request that is not valid:\n${problems.map((problem) => `  ${problem}`).join('\n')}`,
    stackStartFn: assertValidRequest,
  });
}

function messageProblems(messages: readonly Message[]): string[] {
  if (messages.length === 0) return ['it has no messages'];
  const problems: string[] = [];
  const ids = new Set<string>();
  for (const [index, message] of messages.entries()) {
    try {
      // Copied, because the check freezes its argument.
      toMessage(structuredClone(message), () => '');
    } catch (error) {
      problems.push(`messages[${index}]: ${String(error)}`);
    }
    if (typeof message.id !== 'string' || message.id === '') problems.push(`messages[${index}] has no id`);
    else if (ids.has(message.id))
      problems.push(`messages[${index}] has the id "${message.id}" of an earlier message`);
    ids.add(message.id);
  }
  return problems;
}

function pairingProblems(messages: readonly Message[]): string[] {
  const problems: string[] = [];
  const seen = new Set<string>();
  let open: string[] = [];
  for (const [index, message] of messages.entries()) {
    if (message.role === 'tool') {
      const at = open.indexOf(message.callId);
      if (at === -1)
        problems.push(`messages[${index}] is the result of "${message.callId}", which no open call has`);
      else if (at > 0)
        problems.push(`messages[${index}] is the result of "${message.callId}" before that of "${open[0]}"`);
      open = open.filter((id) => id !== message.callId);
      continue;
    }
    problems.push(
      ...open.map(
        (id) => `the call "${id}" has no result before messages[${index}], a ${message.role} message`,
      ),
    );
    open = toolCallsOf(message).map((call) => call.id);
    for (const id of open) {
      if (id === '') problems.push(`messages[${index}] has a tool call without an id`);
      else if (seen.has(id)) problems.push(`messages[${index}] has the call id "${id}" of an earlier call`);
      seen.add(id);
    }
  }
  return [...problems, ...open.map((id) => `the call "${id}" has no result`)];
}

function toolProblems({ tools, providerTools, toolChoice }: ModelRequest): string[] {
  const names = (tools ?? []).map((tool) => tool.name);
  const theirs = (providerTools ?? []).map((tool) => tool.name);
  const problems = names
    .filter((name, index) => names.indexOf(name) !== index || theirs.includes(name))
    .map((name) => `two tools have the name "${name}"`);
  if (tools?.length === 0 || providerTools?.length === 0)
    problems.push('its tools are an empty list; they must be absent then');
  if (typeof toolChoice === 'object' && ![...names, ...theirs].includes(toolChoice.tool)) {
    problems.push(`its toolChoice names "${toolChoice.tool}", which is not among its tools`);
  }
  return problems;
}
