import type { Message, RunInfo } from '@shallot/core';
import type { ChatModel } from '@shallot/core/model';
import {
  clearResults,
  fitsPattern,
  GrowingMessages,
  type PluginSetup,
  type PluginState,
} from '@shallot/core/plugin';

import type { Settings } from './options.ts';

const stub = 'This old result was cleared to save room. Call the tool again if you need it.';
const defaultTrigger = 100_000;

/** Replaces old results of tools by a stub once the messages are too many. */
export class ResultClearing {
  readonly #settings: NonNullable<Settings['clearToolResults']>;
  readonly #tokens: PluginSetup['tokens'];
  /**
   * The id of the last message whose result is cleared. It moves only when there is too much again: if it moved with each
   * step, no step could use what the provider cached of the last one.
   */
  readonly #clearedTo: PluginState<string>;
  readonly #edited = new WeakMap<Message, Message>();
  /** The tokens of the lists as they are sent. */
  readonly #sizes = new GrowingMessages<number>();
  /** The lists as they were cleared last, up to which message. */
  readonly #cleared = new GrowingMessages<{ readonly end: number; readonly list: readonly Message[] }>();

  constructor(
    settings: NonNullable<Settings['clearToolResults']>,
    { state, tokens }: Pick<PluginSetup, 'state' | 'tokens'>,
  ) {
    this.#settings = settings;
    this.#tokens = tokens;
    this.#clearedTo = state({ key: 'clearedTo', initial: () => '' });
  }

  /** The same list where nothing is cleared. */
  clear(messages: readonly Message[], { limits }: ChatModel, run: RunInfo): readonly Message[] {
    const { trigger = limits?.contextTokens === undefined ? defaultTrigger : limits.contextTokens / 2 } =
      this.#settings;
    const known = this.#clearedTo.get(run);
    const before = known === '' ? -1 : messages.findLastIndex(({ id }) => id === known);
    const cleared = this.#clearTo(messages, before);
    const size = this.#sizes.of(cleared, (before = 0, added) => before + this.#tokens.messages(added));
    if (size <= trigger) return cleared;
    const end = lastToClear(messages, this.#settings.keep);
    const last = messages[end];
    if (last === undefined || end <= before) return cleared;
    this.#clearedTo.set(run, last.id);
    return this.#clearTo(messages, end);
  }

  /** Returns the message that an earlier step made, so that inner layers need not look at it again. */
  #sameAsBefore(original: Message, edited: Message): Message {
    if (edited === original || edited.role !== 'tool') return edited;
    const known = this.#edited.get(original) ?? edited;
    this.#edited.set(original, known);
    return known;
  }

  #clearTo(messages: readonly Message[], end: number): readonly Message[] {
    if (end < 0) return messages;
    const known = this.#cleared.find(messages);
    const list =
      known?.value.end === end
        ? [...known.value.list, ...messages.slice(known.length)]
        : this.#clearedAnew(messages, end);
    this.#cleared.keep(messages, { end, list }, known?.length);
    return list;
  }

  #clearedAnew(messages: readonly Message[], end: number): readonly Message[] {
    const { exclude, clearInputs } = this.#settings;
    const { messages: cleared } = clearResults(messages, end + 1, () => stub);
    const kept = cleared.map((message, index) =>
      message.role === 'tool' && exclude.some((pattern) => fitsPattern(pattern, message.name))
        ? (messages[index] ?? message)
        : message,
    );
    const edited = clearInputs ? withoutInputs(kept, messages) : kept;
    return edited.map((message, index) => this.#sameAsBefore(messages[index] ?? message, message));
  }
}

/** The index of the last result that goes when so many are kept; -1 when there are no more than that. */
function lastToClear(messages: readonly Message[], keep: number): number {
  const results = messages.flatMap(({ role }, index) => (role === 'tool' ? [index] : []));
  return results.at(-keep - 1) ?? -1;
}

/** Without the arguments of the calls whose results were cleared. */
function withoutInputs(messages: readonly Message[], original: readonly Message[]): readonly Message[] {
  const calls = new Set(
    messages.flatMap((message, index) =>
      message.role === 'tool' && message !== original[index] ? [message.callId] : [],
    ),
  );
  return messages.map((message) => {
    if (message.role !== 'assistant') return message;
    const content = message.content.map((part) => {
      if (part.type !== 'tool-call' || !calls.has(part.id)) return part;
      const { raw: _raw, ...call } = part;
      return { ...call, input: {} };
    });
    return content.every((part, index) => part === message.content[index])
      ? message
      : { ...message, content };
  });
}
