import { ShallotError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import { frozenJson } from '../../base/json/frozen-json.ts';
import {
  toMessages,
  toolCallsOf,
  type AssistantMessage,
  type Message,
  type MessageInput,
  type ToolMessage,
} from '../../contract/messages.ts';
import type { FinishReason } from '../../contract/model.ts';
import type { RunRecord } from '../../contract/store.ts';

/** The arguments of the first `end` call. */
export type Ending = NonNullable<RunRecord['ending']>;

/** The last message of a run: the model's answer, the message given to `end`, or a tool's result. */
export interface LastWord {
  readonly message: AssistantMessage | ToolMessage;
  /** The finish reason of a model's answer. */
  readonly finish?: FinishReason;
  /** True if the stream already contains it. */
  readonly isShown: boolean;
}

/** The decisions of hooks and of the loop about the end of a run. */
export class Verdict {
  #ending: Ending | undefined;
  #more: readonly Message[] | undefined;
  #lastWord: LastWord | undefined;
  #heard: JsonObject | undefined;
  #output: { readonly value: unknown } | undefined;

  /** `ending` comes from the record of a resumed run. */
  constructor(ending?: Ending) {
    if (ending !== undefined) this.#ending = frozenJson(ending, 'the end of the run');
  }

  /** The arguments of the first `end` call; undefined if no hook called it. */
  get ending(): Ending | undefined {
    return this.#ending;
  }

  /** The messages of all `again` calls, possibly empty; undefined if no hook called it. */
  get more(): readonly Message[] | undefined {
    return this.#more;
  }

  /** The last message of the run. */
  get lastWord(): LastWord | undefined {
    return this.#lastWord;
  }

  /** The validated answer; undefined until an answer matches the output schema. */
  get output(): { readonly value: unknown } | undefined {
    return this.#output;
  }

  /**
   * Ends the run. The first call wins, and takes precedence over `again`. @throws `MESSAGE_INVALID`, `VALUE_NOT_JSON`
   */
  end(
    answer: string | MessageInput | undefined,
    reason: Ending['reason'],
    plugin: string,
    newId: () => string,
  ): void {
    if (this.#ending !== undefined) return;
    const given = typeof answer === 'string' ? { role: 'assistant' as const, content: answer } : answer;
    const message = given === undefined ? undefined : toMessages(given, newId, plugin)[0];
    if (message !== undefined && (message.role !== 'assistant' || toolCallsOf(message).length > 0)) {
      throw new ShallotError('MESSAGE_INVALID', {
        message: `${plugin} called end with an invalid answer: pass a string, or an assistant message without tool calls.`,
        plugin,
      });
    }
    this.#ending = Object.freeze(message === undefined ? { reason, plugin } : { reason, message, plugin });
  }

  /** Asks for one more step. */
  again(messages: readonly Message[]): void {
    this.#more = [...(this.#more ?? []), ...messages];
  }

  /** Restores the messages of `again` from before an interrupt. */
  restoreMore(messages: readonly Message[] | undefined): void {
    this.#more = messages;
  }

  takeMore(): readonly Message[] | undefined {
    const more = this.#more;
    this.#more = undefined;
    return more;
  }

  /** Notes the metadata of the model's latest response, such as its id and rate limits. */
  hear(metadata: JsonObject | undefined): void {
    this.#heard = metadata;
  }

  /** The metadata of the latest response that this process received. */
  get heard(): JsonObject | undefined {
    return this.#heard;
  }

  close(lastWord: LastWord | undefined): void {
    this.#lastWord = lastWord;
  }

  accept(output: unknown): void {
    this.#output = { value: output };
  }
}
