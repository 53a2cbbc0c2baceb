import { ShallotError } from '../../base/errors.ts';
import {
  toMessages,
  toolCallsOf,
  type AssistantMessage,
  type Message,
  type MessageInput,
  type ToolMessage,
} from '../../contract/messages.ts';
import type { FinishReason } from '../../contract/model.ts';

/** How `end` was called. */
export interface Ending {
  readonly message: AssistantMessage | undefined;
  readonly reason: 'ended' | 'limit';
}

/** The message that a run ends with: the model's answer, the one that a hook gave, or the result of a tool. */
export interface LastWord {
  readonly message: AssistantMessage | ToolMessage;
  /** The model's, when it is the model's answer. */
  readonly finish?: FinishReason;
  /** Whether the stream has had it. */
  readonly isShown: boolean;
}

/** What hooks and the loop have decided about the end of a run. */
export class Verdict {
  #ending: Ending | undefined;
  #more: readonly Message[] | undefined;
  #lastWord: LastWord | undefined;
  #output: { readonly value: unknown } | undefined;

  /** How a hook has ended the run. */
  get ending(): Ending | undefined {
    return this.#ending;
  }

  /** What `again` was called with; the messages may be none. */
  get more(): readonly Message[] | undefined {
    return this.#more;
  }

  /** What the run ends with. */
  get lastWord(): LastWord | undefined {
    return this.#lastWord;
  }

  /** The validated answer, when a schema was asked for. */
  get output(): { readonly value: unknown } | undefined {
    return this.#output;
  }

  /** The first call wins, also over `again`. @throws `MESSAGE_INVALID` */
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
    this.#ending = { message, reason };
  }

  /** One more step is asked for. */
  again(messages: readonly Message[]): void {
    this.#more = [...(this.#more ?? []), ...messages];
  }

  /** What was asked for before the run was interrupted. */
  restoreMore(messages: readonly Message[] | undefined): void {
    this.#more = messages;
  }

  takeMore(): readonly Message[] | undefined {
    const more = this.#more;
    this.#more = undefined;
    return more;
  }

  close(lastWord: LastWord | undefined): void {
    this.#lastWord = lastWord;
  }

  accept(output: unknown): void {
    this.#output = { value: output };
  }
}
