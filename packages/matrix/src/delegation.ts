import { textOf, type AgentEvent, type PluginEntry } from '@shallot/core';
import type { ChatModel } from '@shallot/core/model';
import type { SessionRecord, Store } from '@shallot/core/store';
import subagents from '@shallot/plugin-subagents';
import { scriptedModel } from '@shallot/testing';

const toolName = 'delegate';

/** Returns a model that passes the user's message to another agent, and that agent's answer to the user. */
export function delegatingModel(): ChatModel {
  return scriptedModel(
    Array.from({ length: 100 }, () => ({ messages, tools = [] }) => {
      const answer = messages.findLast((message) => message.role === 'tool' && message.name === toolName);
      if (tools.length === 0 || answer !== undefined)
        return { text: answer === undefined ? 'A summary.' : textOf(answer) };
      const said = messages.findLast(({ role, source }) => role === 'user' && source === undefined);
      const args = { agent: 'worker', prompt: said === undefined ? '' : textOf(said) };
      return { toolCalls: [{ name: toolName, id: toolName, args }] };
    }),
    { id: 'delegating', cacheMarks: 4 },
  );
}

/**
 * Returns the plugin through which `delegatingModel` delegates. The child agent has this model and the layers of
 * these plugins.
 */
export function delegation(model: ChatModel, plugins: readonly string[]): PluginEntry {
  const worker = { name: 'worker', description: 'Does all work.', model, plugins };
  return { use: subagents({ agents: [worker], toolName }), id: 'delegation' };
}

/** Returns the record of the only child of a session; undefined if it has none. @throws if it has several */
export async function childOf(store: Store, parent: string): Promise<SessionRecord | undefined> {
  const ids: string[] = [];
  for await (const { id } of store.list({ parent })) ids.push(id);
  const [id, ...others] = ids;
  if (others.length > 0) throw new Error(`The session has ${ids.length} children.`);
  return id === undefined ? undefined : store.load(id);
}

/** Returns the events of children without their wrappers. */
export function eventsOfChildren(events: readonly AgentEvent[]): AgentEvent[] {
  return events.flatMap((event) => (event.type === 'child' ? [event.event] : []));
}
