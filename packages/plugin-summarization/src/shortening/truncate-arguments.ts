import type { AssistantPart, JsonValue, Message } from '@shallot/core';

/** The number of characters left of a truncated string, before the note. */
const keptLength = 20;

export interface TruncationRules {
  readonly maxLength: number;
  readonly text: string;
  readonly tools: readonly string[];
}

/** Messages with truncated arguments, and the number of changed ones. */
export interface Truncation {
  readonly messages: readonly Message[];
  readonly changed: number;
}

/** Truncates long strings in the arguments of tool calls, in the messages from `from` up to, not including, `to`. */
export function truncateArguments(
  messages: readonly Message[],
  from: number,
  to: number,
  rules: TruncationRules,
): Truncation {
  let changed = 0;
  const shorter = messages.slice(from, to).map((message) => {
    const other = truncateMessage(message, rules);
    if (other !== message) changed += 1;
    return other;
  });
  if (changed === 0) return { messages, changed };
  return { messages: [...messages.slice(0, from), ...shorter, ...messages.slice(to)], changed };
}

function truncateMessage(message: Message, rules: TruncationRules): Message {
  if (message.role !== 'assistant') return message;
  const content = message.content.map((part) => truncatePart(part, rules));
  return content.every((part, index) => part === message.content[index]) ? message : { ...message, content };
}

function truncatePart(part: AssistantPart, { maxLength, text, tools }: TruncationRules): AssistantPart {
  if (part.type !== 'tool-call' || !tools.includes(part.name)) return part;
  const cut = (value: JsonValue): JsonValue => {
    if (typeof value === 'string') {
      return value.length > maxLength ? value.slice(0, keptLength) + text : value;
    }
    if (typeof value !== 'object' || value === null) return value;
    if (isList(value)) {
      const list = value.map(cut);
      return list.every((each, index) => each === value[index]) ? value : list;
    }
    const entries = Object.entries(value).map(([key, each]) => [key, cut(each)] as const);
    return entries.every(([key, each]) => each === value[key]) ? value : Object.fromEntries(entries);
  };
  const input = cut(part.input);
  return input === part.input ? part : { ...part, input };
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
