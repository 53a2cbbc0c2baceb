import type { JsonValue } from '../../base/json.ts';
import { frozenJson } from '../../base/json/frozen-json.ts';
import type { Answers } from '../../contract/interrupt.ts';
import { textPart, toMessages } from '../../contract/messages.ts';
import type { AgentParts } from '../agent-parts.ts';
import { passInput, type InputTerms, type KeptEntries } from './pass-input.ts';

/** Answers after the taps on the input. */
export interface PassedAnswers {
  readonly answers: Answers;
  readonly kept: KeptEntries;
}

/**
 * Passes answers through the taps on the input. Each answer becomes a user message with one part per string or number.
 * @throws like `passInput`
 */
export async function passAnswers(
  parts: AgentParts,
  answers: Answers,
  terms: Pick<InputTerms, 'context' | 'sessionId' | 'signal'>,
): Promise<PassedAnswers> {
  const passed: Record<string, JsonValue> = {};
  const kept: KeptEntries[number][] = [];
  for (const [id, answer] of Object.entries(answers)) {
    const texts = leavesOf(answer).map(String);
    // A message of white space alone would be invalid, and holds nothing that a tap would have to change.
    if (texts.every((text) => text.trim() === '')) {
      passed[id] = answer;
      continue;
    }
    let count = 0;
    const newMessageId = (): string => `${id}.${(count += 1)}`;
    const given = toMessages({ role: 'user', content: texts.map((text) => textPart(text)) }, newMessageId);
    const taken = await passInput(parts, given, { ...terms, kind: 'answer', newMessageId });
    const left = taken.messages.flatMap((message) =>
      message.content.map((part) => ('text' in part ? part.text : '')),
    );
    passed[id] = frozenJson(withLeaves(answer, left.values()), `the answer to ${id}`);
    kept.push(...taken.kept);
  }
  return { answers: passed, kept };
}

function leavesOf(value: JsonValue): (string | number)[] {
  if (typeof value === 'string' || typeof value === 'number') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(leavesOf);
}

/**
 * Returns the JSON with its strings and numbers replaced, in the order of `leavesOf`. A number stays a number if its
 * text did not change.
 */
function withLeaves(value: JsonValue, texts: Iterator<string, undefined>): JsonValue {
  if (typeof value === 'string' || typeof value === 'number') {
    const { value: text } = texts.next();
    return text === undefined || text === String(value) ? value : text;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (isList(value)) return value.map((member) => withLeaves(member, texts));
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withLeaves(member, texts)]));
}

function isList(value: object): value is readonly JsonValue[] {
  return Array.isArray(value);
}
