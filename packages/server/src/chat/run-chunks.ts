import type { AssistantMessage, Interrupt, Message } from '@shallot/core';

import type { FeedEvent } from '../events/feed-event.ts';
import { Draft } from './draft.ts';
import { inputChunk, resultChunks, steeringChunk } from './part-chunks.ts';
import { questionChunks } from './questions.ts';
import type { UiChunk } from './ui-chunk.ts';

/** Converts the events of a run to chunks of one UI message, for one client. */
export class RunChunks {
  readonly #draft = new Draft();
  /** The inputs of the calls without a result, as the client was shown them. */
  readonly #inputs = new Map<string, string>();
  #questions: Interrupt[] = [];
  #isAnswered = false;
  #isOver = false;

  /** True if the end of the run was seen. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Forgets what the client has, because the run is sent again from its beginning. */
  clear(): void {
    this.#draft.clear();
    this.#inputs.clear();
    this.#questions = [];
    this.#isAnswered = false;
    this.#isOver = false;
  }

  /** Returns the chunks of an event; undefined if the client was shown something that is no longer valid. */
  take(event: FeedEvent): readonly UiChunk[] | undefined {
    switch (event.type) {
      case 'text-delta':
      case 'reasoning-delta':
      case 'tool-call-delta':
        return this.#draft.take(event);
      case 'message':
        return this.#takeMessage(event.message);
      case 'tool-start':
        return this.#takeInput(event);
      case 'tool-end':
        this.#inputs.delete(event.message.callId);
        return resultChunks(event.message);
      case 'interrupt':
        this.#questions.push(event.interrupt);
        return [];
      case 'run-end':
        this.#isOver = true;
        return [...questionChunks(this.#questions), ...endChunks(event)];
      case 'restart':
      case 'reload':
        return undefined;
      case 'step-start':
      case 'part-end':
        return [];
      case 'plugin':
      case 'tool-progress':
      case 'warning':
      case 'child':
        return [passing(event)];
    }
  }

  #takeMessage(message: Exclude<Message, { readonly role: 'tool' }>): readonly UiChunk[] | undefined {
    if (message.role === 'assistant') return this.#takeAnswer(message);
    // The client has the input of the run, because it sent that message itself.
    return this.#isAnswered && message.role === 'user' && message.source === undefined
      ? [steeringChunk(message)]
      : [];
  }

  #takeAnswer(message: AssistantMessage): readonly UiChunk[] | undefined {
    this.#isAnswered = true;
    for (const part of message.content)
      if (part.type === 'tool-call') this.#inputs.set(part.id, JSON.stringify(part.input));
    return this.#draft.commit(message);
  }

  /** Returns the input of a call again if a person or a plugin has changed it. */
  #takeInput({ callId: id, name, input }: FeedEvent & { readonly type: 'tool-start' }): readonly UiChunk[] {
    const text = JSON.stringify(input);
    if (this.#inputs.get(id) === text) return [];
    this.#inputs.set(id, text);
    return [inputChunk({ id, name, input })];
  }
}

/** Returns the chunk of an event that is not a part of any message. */
function passing({ type, ...data }: FeedEvent): UiChunk {
  return { type: `data-${type}`, data, transient: true };
}

const finishReasons: ReadonlySet<string> = new Set([
  'stop',
  'length',
  'content-filter',
  'tool-calls',
  'error',
]);

function endChunks(end: FeedEvent & { readonly type: 'run-end' }): readonly UiChunk[] {
  const { outcome, failure, finish = 'stop', stopReason, steps, usage } = end;
  const messageMetadata = runMetadata({ outcome, stopReason, steps, usage });
  if (outcome === 'failed') {
    const errorText = failure === undefined ? 'The run failed.' : `${failure.code}: ${failure.message}`;
    return [
      { type: 'message-metadata', messageMetadata },
      { type: 'error', errorText },
    ];
  }
  if (outcome === 'aborted') {
    return [
      { type: 'message-metadata', messageMetadata },
      { type: 'abort', reason: stopReason ?? 'aborted' },
    ];
  }
  const reason = outcome === 'interrupted' ? 'tool-calls' : finish;
  const finishReason = finishReasons.has(reason) ? reason : 'other';
  return [{ type: 'finish', finishReason, messageMetadata }];
}

/** Returns the metadata of the message of a run. */
export function runMetadata(notes: {
  readonly outcome: string | undefined;
  readonly stopReason: string | undefined;
  readonly steps: number | undefined;
  readonly usage: object | undefined;
}): object {
  return Object.fromEntries(Object.entries(notes).filter(([, value]) => value !== undefined));
}
