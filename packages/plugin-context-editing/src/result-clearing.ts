import type { Message, RunInfo } from '@shallot/core';
import type { ChatModel } from '@shallot/core/model';
import {
  clearResults,
  fitsPattern,
  GrowingMessages,
  keptFilesOf,
  tokensOfSize,
  type PluginSetup,
  type PluginState,
} from '@shallot/core/plugin';

import { leaveOutCalls } from './leave-out-calls.ts';
import type { Settings } from './options.ts';

const stub = 'This old result was cleared to save room. Call the tool again if you need it.';
const stubWithFiles = (paths: readonly string[]): string =>
  `This old result was cleared to save room. The whole is in ${paths.join(', ')}.`;

/** The trigger for a model of unknown context, in tokens. */
const defaultTrigger = 100_000;
/** The share of the trigger that a clearing must free by default. */
const worthwhileShare = 0.4;

/**
 * The extent to which the history is cleared, by the ids of messages. Results up to `cleared` are stubs. Calls up to
 * `leftOut` are removed together with their results. Both move only when the messages exceed the trigger again: if
 * they moved at each step, the provider's cache would never apply.
 */
interface Frontier {
  readonly cleared: string;
  readonly leftOut: string;
}

/** The bounds of a `Frontier` as indexes; -1 for none. */
interface Ends {
  readonly cleared: number;
  readonly leftOut: number;
}

/** A clearing of all results up to an index that would have freed too little. */
interface Tried {
  readonly end: number;
  readonly freed: number;
}

/** A history, with the extent to which it is cleared already and its current form. */
interface Cleared {
  readonly messages: readonly Message[];
  readonly before: Ends;
  readonly current: readonly Message[];
}

/** Replaces old tool results with stubs once the messages exceed the trigger, then leaves out the oldest calls. */
export class ResultClearing {
  readonly #settings: NonNullable<Settings['clearToolResults']>;
  readonly #tokens: PluginSetup['tokens'];
  readonly #frontier: PluginState<Frontier>;
  readonly #edited = new WeakMap<Message, Message>();
  /** The last clearing that would have freed too little, kept with the messages that it covered. */
  readonly #tried = new GrowingMessages<Tried>();
  /** The last cleared list, with its bounds, kept with the messages that it was made from. */
  readonly #cleared = new GrowingMessages<Ends & { readonly list: readonly Message[] }>();

  constructor(
    settings: NonNullable<Settings['clearToolResults']>,
    { state, tokens }: Pick<PluginSetup, 'state' | 'tokens'>,
  ) {
    this.#settings = settings;
    this.#tokens = tokens;
    this.#frontier = state({ key: 'frontier', initial: () => ({ cleared: '', leftOut: '' }) });
  }

  /**
   * Returns the messages with old results cleared; the same list if nothing is cleared. Returns a promise for a long
   * history that has to be counted first, so that other work continues meanwhile.
   */
  clear(
    messages: readonly Message[],
    { limits }: ChatModel,
    run: RunInfo,
  ): readonly Message[] | Promise<readonly Message[]> {
    const known = this.#frontier.get(run);
    const before = { cleared: indexOf(messages, known.cleared), leftOut: indexOf(messages, known.leftOut) };
    const current = this.#clearTo(messages, before);
    const clear = (): readonly Message[] =>
      this.#clearMore({ messages, before, current }, limits?.contextTokens, run);
    return this.#tokens.prepare(current)?.then(clear) ?? clear();
  }

  #clearMore(
    { messages, before, current }: Cleared,
    contextTokens: number | undefined,
    run: RunInfo,
  ): readonly Message[] {
    const { keep, trigger: triggerSize, clearAtLeast } = this.#settings;
    const byDefault = contextTokens === undefined ? defaultTrigger : contextTokens / 2;
    const trigger = triggerSize === undefined ? byDefault : tokensOfSize(triggerSize, contextTokens);
    const size = this.#tokens.messages(current);
    if (size <= trigger) return current;
    const least =
      clearAtLeast === undefined ? trigger * worthwhileShare : tokensOfSize(clearAtLeast, contextTokens);
    const end = lastToClear(messages, keep);
    const { value: tried } = this.#tried.find(messages) ?? {};
    // Only messages that were added since can free more. Checking them first avoids another clearing attempt at each
    // step of a history of which little can be cleared.
    if (
      tried !== undefined &&
      tried.freed + this.#tokens.messages(messages.slice(tried.end + 1, end + 1)) < least
    )
      return current;
    let freed = 0;
    // Tries the gentlest way first: more stubs for results. Then it leaves out the calls before these results, and
    // finally all calls.
    for (const leftOut of [before.leftOut, before.cleared, end]) {
      const ends = { cleared: Math.max(end, before.cleared), leftOut: Math.max(leftOut, before.leftOut) };
      const list = this.#clearedAnew(messages, ends);
      freed = Math.max(freed, size - this.#tokens.messages(list));
      if (freed < least) continue;
      this.#frontier.set(run, {
        cleared: idAt(messages, ends.cleared),
        leftOut: idAt(messages, ends.leftOut),
      });
      this.#cleared.keep(messages, { ...ends, list });
      return list;
    }
    this.#tried.keep(messages, { end, freed });
    return current;
  }

  /**
   * Returns the result that an earlier step made from the original, so that inner layers recognize it; the edited message
   * if there is none.
   */
  #sameAsBefore(original: Message, edited: Message): Message {
    if (edited === original || edited.role !== 'tool') return edited;
    const known = this.#edited.get(original) ?? edited;
    this.#edited.set(original, known);
    return known;
  }

  #clearTo(messages: readonly Message[], ends: Ends): readonly Message[] {
    if (ends.cleared < 0) return messages;
    const known = this.#cleared.find(messages);
    const isSame = known?.value.cleared === ends.cleared && known.value.leftOut === ends.leftOut;
    const list = isSame
      ? [...known.value.list, ...messages.slice(known.length)]
      : this.#clearedAnew(messages, ends);
    this.#cleared.keep(messages, { ...ends, list }, known?.length);
    return list;
  }

  #clearedAnew(messages: readonly Message[], { cleared: end, leftOut }: Ends): readonly Message[] {
    const { exclude, clearInputs } = this.#settings;
    const { messages: cleared } = clearResults(messages, end + 1, (result) => {
      const paths = keptFilesOf(result);
      return paths.length === 0 ? stub : stubWithFiles(paths);
    });
    const isExcluded = ({ name }: { readonly name: string }): boolean =>
      exclude.some((pattern) => fitsPattern(pattern, name));
    const kept = cleared.map((message, index) =>
      message.role === 'tool' && isExcluded(message) ? (messages[index] ?? message) : message,
    );
    const edited = clearInputs ? withoutInputs(kept, messages) : kept;
    const list = edited.map((message, index) => this.#sameAsBefore(messages[index] ?? message, message));
    return leaveOutCalls(list, leftOut, isExcluded);
  }
}

function indexOf(messages: readonly Message[], id: string): number {
  return id === '' ? -1 : messages.findLastIndex((message) => message.id === id);
}

function idAt(messages: readonly Message[], index: number): string {
  return messages[index]?.id ?? '';
}

/** Returns the index of the last result to clear if this many are kept; -1 if there are no more. */
function lastToClear(messages: readonly Message[], keep: number): number {
  let left = keep;
  return messages.findLastIndex(({ role }) => role === 'tool' && (left -= 1) < 0);
}

/** Returns messages without the arguments of calls whose results were cleared. */
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
