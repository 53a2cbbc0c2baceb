import { ClientError, type Client, type RunState, type RunStream } from '@shallot/client';
import type { Interrupt, JsonValue, Message } from '@shallot/core';

import { foldActivity, noActivity, type Activity } from './activity.ts';
import { contentOf, type AttachedFile } from './attached-file.ts';
import { Live } from './live.ts';
import { mergeMessages } from './rows.ts';

/** A message that was sent to a run, but is not a part of the session yet. */
export interface Waiting {
  readonly id: string;
  readonly text: string;
}

/** The end of a run without an answer. */
export interface Ending {
  readonly outcome: string;
  readonly failure?: { readonly code: string; readonly message: string } | undefined;
}

/** All that a page shows of a session. */
export interface ConversationView {
  readonly sessionId: string | undefined;
  /** `loading` until the session is read; `running` while a run is in progress; `asking` while a question is open. */
  readonly state: 'loading' | 'idle' | 'running' | 'asking';
  readonly messages: readonly Message[];
  readonly draft: Pick<RunState, 'text' | 'reasoning'>;
  readonly interrupts: readonly Interrupt[];
  readonly activity: Activity;
  readonly waiting: readonly Waiting[];
  readonly ending: Ending | undefined;
  readonly problem: string | undefined;
}

/** The id of a message that begins a run, until the server assigns one. */
const beginning = 'beginning';

const noDraft = { text: '', reasoning: '' } as const;

/** The view before a session exists. */
const beforeSession: ConversationView = Object.freeze({
  sessionId: undefined,
  state: 'idle',
  messages: [],
  draft: noDraft,
  interrupts: [],
  activity: noActivity,
  waiting: [],
  ending: undefined,
  problem: undefined,
});

/** A session for the page: its messages, the run in progress, and the actions of the user. */
export class Conversation {
  readonly view: Live<ConversationView>;
  readonly #client: Client;
  readonly #closing = new AbortController();
  /** The time of the session's last change when it was read. The time is the server's. */
  #readAt: string | undefined;
  /** The messages that were read, without those of the followed run. */
  #known: readonly Message[] = [];
  /** The number of actions so far. A read shows nothing if a later action has begun meanwhile. */
  #turn = 0;
  /** The current run, which distinguishes its events from those of an earlier run. */
  #followed: RunStream | undefined;

  /** Creates a conversation. Without a session id, the first message creates a session. */
  constructor(client: Client, sessionId?: string) {
    this.#client = client;
    this.view = new Live({
      ...beforeSession,
      sessionId,
      state: sessionId === undefined ? 'idle' : 'loading',
    });
  }

  /** Reads a session again if it has changed since, for example because another person has used it. */
  async look(updatedAt: string): Promise<void> {
    if (updatedAt !== this.#readAt) await this.read();
  }

  /**
   * Reads the session, and follows its run. Does nothing without a session, and while a run is in progress, because this
   * run is already followed.
   */
  async read(): Promise<void> {
    const { sessionId: id, state } = this.view.value;
    if (id === undefined || state === 'running') return;
    const turn = (this.#turn += 1);
    await this.#try(async () => {
      const request = { params: { id }, ...this.#signal };
      const { run, updatedAt } = await this.#client.call('GET /sessions/{id}', request);
      const messages = await this.#messagesOf(id);
      const isOpen = run?.isOpen === true || run?.status === 'interrupted';
      const stream = isOpen ? await this.#client.follow(id, this.#signal) : undefined;
      if (turn !== this.#turn) return;
      this.#readAt = updatedAt;
      this.#known = messages;
      this.#show({ messages });
      if (run !== undefined && stream !== undefined) {
        if (run.isOpen) this.#show({ state: 'running' });
        this.#begin(stream, { isLive: run.isOpen });
        return;
      }
      const ending = run && endingOf({ outcome: run.status, failure: run.failure });
      this.#show({ state: 'idle', interrupts: [], ending });
    });
  }

  /**
   * Sends a message to the unfinished run, which may wait for an answer. If there is none, the message begins a run.
   * Returns false if this failed.
   */
  send(text: string, files: readonly AttachedFile[] = []): Promise<boolean> {
    const input = contentOf(text, files);
    const shown = [text, ...files.map(({ name }) => name)].filter((each) => each.trim() !== '').join('\n');
    const { sessionId, state } = this.view.value;
    return this.#try(async () => {
      const isOpen = state === 'running' || state === 'asking';
      if (isOpen && sessionId !== undefined && (await this.#steer(sessionId, input, shown))) return;
      this.#turn += 1;
      this.#show({
        state: 'running',
        waiting: [{ id: beginning, text: shown }],
        interrupts: [],
        ending: undefined,
      });
      const terms = sessionId === undefined ? {} : { sessionId };
      const stream = await this.#client.stream(input, { ...terms, ...this.#signal });
      this.#show({ sessionId: stream.sessionId });
      this.#begin(stream, { isLive: true });
    });
  }

  /** Answers a question. The run continues after the last answer. */
  async answer(interruptId: string, answer: JsonValue): Promise<void> {
    const { sessionId, interrupts } = this.view.value;
    if (sessionId === undefined) return;
    await this.#try(async () => {
      const run = await this.#client.answer(sessionId, interruptId, answer, this.#signal);
      if (run.interrupts.length > 0)
        this.#show({ interrupts: interrupts.filter(({ id }) => id !== interruptId) });
      else await this.read();
    });
  }

  /** Stops the run after its step. */
  async stop(): Promise<void> {
    const { sessionId } = this.view.value;
    if (sessionId === undefined) return;
    await this.#try(async () => void (await this.#client.stop(sessionId, this.#signal)));
  }

  /** Submits the last run again. */
  async resume(): Promise<void> {
    const { sessionId: id } = this.view.value;
    if (id === undefined) return;
    await this.#try(async () => {
      await this.#client.call('POST /sessions/{id}/resume', { params: { id }, ...this.#signal });
      await this.read();
    });
  }

  /** Stops reading. The run itself continues. */
  close(): void {
    this.#closing.abort();
  }

  get #signal(): { readonly signal: AbortSignal } {
    return { signal: this.#closing.signal };
  }

  /** Sends a message to the run. Returns false if the run has ended meanwhile. */
  async #steer(sessionId: string, input: ReturnType<typeof contentOf>, text: string): Promise<boolean> {
    try {
      const id = await this.#client.send(sessionId, input, this.#signal);
      const { messages, waiting } = this.view.value;
      const isThere = messages.some((message) => message.id === id);
      if (!isThere) this.#show({ waiting: [...waiting, { id, text }] });
      return true;
    } catch (error) {
      if (error instanceof ClientError && error.code === 'SESSION_NOT_RUNNING') return false;
      throw error;
    }
  }

  async #messagesOf(id: string): Promise<readonly Message[]> {
    const messages: Message[] = [];
    for (let after: string | undefined; ;) {
      const query = { limit: 100, ...(after === undefined ? {} : { after }) };
      const request = { params: { id }, query, ...this.#signal };
      const page = await this.#client.call('GET /sessions/{id}/messages', request);
      // The server returns the stored messages. Its table of routes has a less precise type for them.
      messages.push(...(page.messages as unknown as readonly Message[]));
      if (page.next === undefined) return messages;
      after = page.next;
    }
  }

  /** Follows a run. If it waits for an answer, it is read to its end before any of it is shown. */
  #begin(stream: RunStream, { isLive }: { readonly isLive: boolean }): void {
    this.#followed = stream;
    void this.#try(() => this.#follow(stream, isLive));
  }

  async #follow(stream: RunStream, isLive: boolean): Promise<void> {
    let activity = noActivity;
    for await (const event of stream) {
      if (this.#followed !== stream) return;
      activity = foldActivity(activity, event);
      // Messages before the run may have been replaced as well.
      if (event.type === 'reload') this.#known = await this.#messagesOf(stream.sessionId);
      if (isLive) this.#showRun(stream.state, activity);
    }
    if (this.#followed !== stream) return;
    this.#showRun(stream.state, activity);
    const { messages, waiting } = this.view.value;
    this.#known = messages;
    const outcome = stream.state.end?.outcome;
    const ending = outcome && endingOf({ outcome, failure: stream.state.end?.failure });
    // Messages that the run has not taken begin the next run.
    const state = outcome === 'interrupted' ? 'asking' : 'idle';
    this.#show({ state, draft: noDraft, ending, waiting: [] });
    if (outcome === undefined || waiting.length > 0) await this.read();
  }

  #showRun({ messages: newer, text, reasoning, interrupts }: RunState, activity: Activity): void {
    const shown = new Set(newer.map(({ id }) => id));
    if (newer.length > 0) shown.add(beginning);
    this.#show({
      messages: mergeMessages(this.#known, newer),
      interrupts,
      activity,
      draft: { text, reasoning },
      waiting: this.view.value.waiting.filter(({ id }) => !shown.has(id)),
    });
  }

  #show(change: Partial<ConversationView>): void {
    if (!this.#closing.signal.aborted) this.view.set({ ...this.view.value, problem: undefined, ...change });
  }

  /** Does some work. Returns false if it failed, and shows the error. */
  async #try(work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      const { state } = this.view.value;
      const isFollowing = this.#followed !== undefined && this.#followed.state.end === undefined;
      const isStuck = state === 'loading' || (state === 'running' && !isFollowing);
      this.#show({ problem, ...(isStuck ? { state: 'idle', waiting: [] } : {}) });
      return false;
    }
  }
}

/** Returns an end that has to be shown. An answer or a question is visible without it. */
function endingOf({ outcome, failure }: Ending): Ending | undefined {
  return outcome === 'completed' || outcome === 'interrupted' ? undefined : { outcome, failure };
}
