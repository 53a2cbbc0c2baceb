import { type AgentEvent, textOf } from '@shallot/core';
import { toolCallsOf } from '@shallot/core/plugin';

/**
 * Formats events as readable lines for snapshots. Leaves out ids and times, and joins the deltas of each part, to keep
 * the lines the same however a model splits its answer.
 */
export function eventLines(events: Iterable<AgentEvent>): string[] {
  const lines: string[] = [];
  let open: { readonly head: string; text: string } | undefined;
  for (const event of events) {
    if (!('text' in event)) {
      open = undefined;
      lines.push(lineOf(event));
      continue;
    }
    const head = `${event.type.replace('-delta', '')} ${event.index}`;
    if (open?.head !== head) lines.push((open = { head, text: '' }).head);
    open.text += event.text;
    lines[lines.length - 1] = `${head} ${JSON.stringify(open.text)}`;
  }
  return lines;
}

function lineOf(event: Exclude<AgentEvent, { readonly text: string }>): string {
  switch (event.type) {
    case 'run-start':
      return event.resumed ? 'run-start resumed' : 'run-start';
    case 'step-start':
      return `step-start ${event.step}`;
    case 'message-taken':
      return `message-taken ${JSON.stringify(textOf(event.message))}`;
    case 'part-end':
      return `part-end ${event.index}`;
    case 'restart':
      return 'restart';
    case 'message': {
      const calls = toolCallsOf(event.message).map((call) => ` ${call.name}(${JSON.stringify(call.input)})`);
      return `message ${JSON.stringify(textOf(event.message))}${calls.join('')}`;
    }
    case 'tool-start':
      return `tool-start ${event.name}(${JSON.stringify(event.input)})`;
    case 'tool-progress':
      return `tool-progress ${JSON.stringify(event.data)}`;
    case 'tool-end': {
      const { name, isError = false, denied } = event.message;
      const verdict = denied === undefined ? (isError ? ' error' : '') : ` denied by ${denied.by}`;
      return `tool-end ${name}${verdict} ${JSON.stringify(textOf(event.message))}`;
    }
    case 'child':
      return `child ${event.agent} ${event.event.type}`;
    case 'interrupt':
      return `interrupt ${event.interrupt.plugin} ${event.interrupt.kind}`;
    case 'plugin':
      return `plugin ${event.plugin}/${event.name} ${JSON.stringify(event.data)}`;
    case 'warning':
      return `warning ${event.code}`;
    case 'run-end':
      return `run-end ${event.result.outcome} ${event.result.stopReason}`;
  }
}
