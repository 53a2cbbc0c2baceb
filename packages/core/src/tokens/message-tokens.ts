import { eachInTicks } from '../base/each-in-ticks.ts';
import type { CountTokens } from '../contract/count-tokens.ts';
import type { Message } from '../contract/messages.ts';
import type { ChatModel } from '../contract/model.ts';
import { countMessage } from './count-message.ts';
import { GrowingMessages } from './growing-messages.ts';

/**
 * The maximum number of characters that one call of `sum` passes to the counting function, which takes `estimateTokens`
 * some 10 ms. The first turn of a long stored session would otherwise cost a second for each 20 MB.
 */
const maxCounted = 100_000;
/** The number of new characters that are counted in one tick, which takes `estimateTokens` a millisecond. */
const maxAtOnce = 10_000;
/** A list of at least this many messages has its total kept, for lists that begin with it. */
const fewest = 32;

/** The tokens of the messages of a list whose count is final, and its other messages. */
interface Total {
  tokens: number;
  /** The messages whose count may change. */
  readonly open: Message[];
}

/** Counts messages, each frozen one once. */
export class MessageTokens {
  readonly #countTokens: CountTokens;
  readonly #model: Pick<ChatModel, 'takesFile'> | undefined;
  readonly #counted = new WeakMap<Message, number>();
  /** The counts of messages that were estimated by their length. */
  readonly #estimated = new WeakMap<Message, number>();
  readonly #totals = new GrowingMessages<Total>();

  constructor(countTokens: CountTokens, model: Pick<ChatModel, 'takesFile'> | undefined) {
    this.#countTokens = countTokens;
    this.#model = model;
  }

  readonly count = (message: Message): number => {
    let count = this.#counted.get(message);
    if (count === undefined) {
      count = countMessage(message, this.#countTokens, this.#model);
      if (this.#isFinal(message)) this.#counted.set(message, count);
    }
    return count;
  };

  /** See `TokenCounts.messages`. */
  readonly sum = (messages: readonly Message[]): number => {
    const { tokens, open } =
      messages.length < fewest
        ? this.#added(undefined, messages)
        : this.#totals.of(messages, (before, added) => this.#added(before, added));
    return open.reduce((total, message) => total + this.count(message), tokens);
  };

  /** See `TokenCounts.prepare`. */
  readonly prepare = (messages: readonly Message[]): Promise<void> | undefined => {
    const known = this.#totals.find(messages);
    const added = messages.slice(known?.length);
    if (!isMore(added, this.#newLength, maxAtOnce)) return undefined;
    const { total, add } = this.#adding(known?.value, added);
    return eachInTicks(added, add).then(() => this.#totals.keep(messages, total, known?.length));
  };

  #added(before: Total | undefined, added: readonly Message[]): Total {
    const { total, add } = this.#adding(before, added);
    added.forEach(add);
    return total;
  }

  /** Returns a new total, and the function that adds these messages to it, one after the other. */
  #adding(before: Total | undefined, added: readonly Message[]) {
    const total: Total = { tokens: before?.tokens ?? 0, open: [...(before?.open ?? [])] };
    const estimate = isMore(added, this.#newLength, maxCounted) ? this.#sampler(added.length) : undefined;
    const add = (message: Message, index: number): void => {
      estimate?.(message, index);
      if (this.#isFinal(message)) total.tokens += this.#estimated.get(message) ?? this.count(message);
      else total.open.push(message);
    };
    return { total, add };
  }

  /** Returns a function that counts messages at even distances, and estimates those between them by their length. */
  #sampler(all: number) {
    let [tokens, characters, counted] = [0, 0, 0];
    return (message: Message, index: number): void => {
      if (!this.#isNew(message)) return;
      if (counted * all <= maxCounted * index) {
        const size = this.#length(message);
        counted += size;
        // Older messages lose weight, because the last ten or so resemble the messages that follow most.
        tokens = tokens * 0.9 + this.count(message);
        characters = characters * 0.9 + size;
      } else if (this.#isFinal(message)) {
        const perCharacter = tokens / characters;
        const estimate = countMessage(message, (text) => text.length * perCharacter, this.#model);
        this.#estimated.set(message, Math.ceil(estimate));
      }
    };
  }

  /**
   * Returns true if the count of a message cannot change: it is frozen, and has no file if the model chooses its files,
   * because a model may learn only during a call which files it accepts.
   */
  #isFinal(message: Message): boolean {
    if (!Object.isFrozen(message)) return false;
    return this.#model?.takesFile === undefined || message.content.every(({ type }) => type !== 'file');
  }

  #isNew(message: Message): boolean {
    return !this.#estimated.has(message) && !this.#counted.has(message);
  }

  readonly #newLength = (message: Message): number => (this.#isNew(message) ? this.#length(message) : 0);

  #length(message: Message): number {
    return countMessage(message, lengthOf, this.#model);
  }
}

function lengthOf(text: string): number {
  return text.length;
}

/** Returns true if the sizes of messages add up to more than `most`. */
function isMore(messages: readonly Message[], size: (message: Message) => number, most: number): boolean {
  let total = 0;
  return messages.some((message) => (total += size(message)) > most);
}
