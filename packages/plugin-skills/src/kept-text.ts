import type { Message } from '@shallot/core';

import { skillHead } from './skill-tool.ts';

/** A piece of a skill's text that the model has read: plain JSON, kept with the session. */
export interface KeptText {
  readonly name: string;
  readonly path: string;
  /** The revision of the SKILL.md that was read. */
  readonly revision: string;
  /** The id of the call that returned it. */
  readonly callId: string;
  /** Its offset in the skill's text, in characters. */
  readonly offset: number;
  /** The text; empty if it was dropped to keep the state small. */
  readonly text: string;
  /** The estimated number of tokens. */
  readonly tokens: number;
}

/**
 * Adds a text that was read, in place of texts that it repeats or that are out of date. Beyond `maxTokens`, the
 * oldest texts are emptied, but the fact that they were read is kept.
 */
export function withReading(
  kept: readonly KeptText[],
  reading: KeptText,
  maxTokens: number,
): readonly KeptText[] {
  const others = kept.filter(
    ({ name, offset, revision }) =>
      name !== reading.name || (offset !== reading.offset && revision === reading.revision),
  );
  let room = maxTokens;
  const withinRoom: KeptText[] = [];
  for (const each of [reading, ...others.toReversed()]) {
    room -= each.tokens;
    withinRoom.unshift(room < 0 ? { ...each, text: '' } : each);
  }
  return withinRoom;
}

/**
 * Returns the texts that are no longer in a run's messages. Searches the messages since the last call, and the places
 * where it found a text before. Searches the whole history only if it was changed, or if another skill was read.
 */
export class KeptTextFinder {
  readonly #places = new Map<string, number>();
  readonly #known = new Set<string>();
  #length = 0;
  #last: Message | undefined;

  /** Returns the texts of `kept` that are missing from `messages`. */
  missing(messages: readonly Message[], kept: readonly KeptText[]): readonly KeptText[] {
    if (kept.length === 0) return kept;
    this.#look(messages, kept);
    return kept.filter((text) => !holds(messages[this.#places.get(text.callId) ?? -1], text));
  }

  #look(messages: readonly Message[], kept: readonly KeptText[]): void {
    const isSame = this.#length > 0 && messages[this.#length - 1] === this.#last;
    const isKnown = kept.every(({ callId }) => this.#known.has(callId));
    for (const { callId } of kept) this.#known.add(callId);
    for (let index = isSame && isKnown ? this.#length : 0; index < messages.length; index += 1) {
      const message = messages[index];
      if (message?.role === 'tool' && this.#known.has(message.callId))
        this.#places.set(message.callId, index);
    }
    this.#length = messages.length;
    this.#last = messages.at(-1);
  }
}

/** Returns true if a message still contains a text; layers may have cleared or replaced it. */
function holds(message: Message | undefined, { callId, text, ...skill }: KeptText): boolean {
  if (message?.role !== 'tool' || message.callId !== callId) return false;
  const [part] = message.content;
  return (
    part?.type === 'text' && part.text.startsWith(skillHead(skill)) && part.text.length * 2 >= text.length
  );
}

/**
 * Renders texts for the instructions: those that were read last, as long as they fit. Returns the texts that do not
 * fit, too.
 */
export function renderKeptTexts(
  kept: readonly KeptText[],
  maxTokens: number,
): { readonly text: string; readonly left: readonly KeptText[] } {
  const put: string[] = [];
  const left: KeptText[] = [];
  let room = maxTokens;
  for (const each of kept.toReversed()) {
    if (each.text === '' || each.tokens > room) {
      left.push(each);
      continue;
    }
    room -= each.tokens;
    put.unshift(each.text);
  }
  if (put.length === 0) return { text: '', left };
  return {
    text: ['These skills were read earlier in this conversation. They still hold:', ...put].join('\n\n'),
    left,
  };
}
