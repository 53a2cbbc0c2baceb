import type { AssistantMessage, Message, ToolMessage, UserMessage } from '@shallot/core';

type AssistantPart = AssistantMessage['content'][number];
type ToolCallPart = Extract<AssistantPart, { readonly type: 'tool-call' }>;

/** A row of a conversation on the page. */
export type Row =
  | { readonly kind: 'user'; readonly id: string; readonly message: UserMessage }
  /** A message that a plugin wrote, such as a summary, or an instruction. */
  | { readonly kind: 'note'; readonly id: string; readonly title: string; readonly text: string }
  | { readonly kind: 'part'; readonly id: string; readonly part: Exclude<AssistantPart, ToolCallPart> }
  | {
      readonly kind: 'call';
      readonly id: string;
      readonly call: ToolCallPart;
      readonly result?: ToolMessage;
    };

/** Returns the rows of messages. Each call includes its result. */
export function rowsOf(messages: readonly Message[]): readonly Row[] {
  const results = new Map<string, ToolMessage>();
  for (const message of messages) if (message.role === 'tool') results.set(message.callId, message);
  return messages.flatMap((message) => rowsOfMessage(message, results));
}

function rowsOfMessage(message: Message, results: ReadonlyMap<string, ToolMessage>): readonly Row[] {
  const { id, source } = message;
  if (message.role === 'tool') return [];
  if (message.role === 'assistant')
    return message.content.map((part, index): Row => {
      const row = { id: `${id}/${index}` };
      if (part.type !== 'tool-call') return { ...row, kind: 'part', part };
      const result = results.get(part.id);
      return { ...row, kind: 'call', call: part, ...(result === undefined ? {} : { result }) };
    });
  if (message.role === 'user' && source === undefined) return [{ kind: 'user', id, message }];
  const title = source === undefined ? 'Instruction' : `From ${source}`;
  return [{ kind: 'note', id, title, text: textIn(message.content) }];
}

function textIn(content: UserMessage['content']): string {
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

/** Returns messages together with newer ones, which replace those with the same id. */
export function mergeMessages(known: readonly Message[], newer: readonly Message[]): readonly Message[] {
  if (newer.length === 0) return known;
  const byId = new Map(known.map((message) => [message.id, message]));
  for (const message of newer) byId.set(message.id, message);
  return [...byId.values()];
}
