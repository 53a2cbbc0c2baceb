import { once } from 'node:events';

import type { ContentBlock, SessionUpdate, StopReason, ToolCallContent } from '@agentclientprotocol/sdk';
import {
  isShallotError,
  type Input,
  type Interrupt,
  type MessageInput,
  type RunResult,
  type RunStream,
} from '@shallot/core';
import { messageOf } from '@shallot/core/plugin';
import type { Store } from '@shallot/core/store';
import { answerInterrupts, pendingInterrupts, stopRun } from '@shallot/core/work';

import { ask } from './ask.ts';
import { messageOfBlocks, titleOf } from './content-blocks.ts';
import { editorContext, type EditorContextParts } from './editor-context.ts';
import { serversNoted } from './editor-plugin.ts';
import { RunUpdates } from './run-updates.ts';
import type { EditorContext } from './served-agent.ts';
import { SessionAgent } from './session-agent.ts';
import { calledCommand, isCommand, type CalledCommand } from './slash-commands.ts';
import type { KnownCall } from './tool-calls.ts';
import { watchRun, type WatchedEnd } from './watch-run.ts';

export interface EditorSessionOptions extends EditorContextParts {
  /** Reads the config again, and tells the editor what has changed in all sessions. */
  readonly reload: () => Promise<void>;
}

/** The work on one prompt: runs, questions, and the messages that come meanwhile. */
interface Turn {
  readonly ended: Promise<StopReason>;
}

/** The name with which answers are recorded. */
const by = 'editor';

/** The most answers in a row that do not match the schema of their question. */
const maxWrongAnswers = 3;

/** A session that an editor has open. It works on one prompt at a time. */
export class EditorSession {
  readonly agents: SessionAgent;
  readonly context: EditorContext;
  readonly #options: EditorSessionOptions;
  #updates: RunUpdates;
  #turn: Turn | undefined;
  /** Cancels the turn, and the prompts that wait for its end. */
  #cancelling = new AbortController();
  /** The number of messages that were stored when the present run began; infinite between runs. */
  #from = Infinity;
  #last: Promise<void> = Promise.resolve();

  constructor(options: EditorSessionOptions) {
    this.#options = options;
    const { id: sessionId, served, mcpServers } = options;
    this.context = editorContext(options);
    this.agents = new SessionAgent({
      sessionId,
      served,
      mcpServers,
      onProblem: (problem) => void this.say(served().agent.redactor.text(messageOf(problem))).catch(() => {}),
    });
    this.#updates = this.#newUpdates();
  }

  get cwd(): string {
    return this.#options.cwd;
  }

  /** Shows the conversation so far. */
  async replay(): Promise<void> {
    await this.#inOrder(async () => {
      const before = this.#updates;
      this.#updates = this.#newUpdates();
      const view = await this.#options.served().agent.session(this.#options.id);
      await this.#updates.replayDuring(before, view?.messages ?? [], this.#from);
    });
  }

  /** True while the session works on a prompt, or asks a question. */
  get isAtWork(): boolean {
    return this.#turn !== undefined;
  }

  /** Names the MCP servers that the session was begun with and does not have now. */
  async nameMissing(): Promise<void> {
    const { id, served, mcpServers } = this.#options;
    const { agent, forSession } = served();
    const given = Object.keys(mcpServers);
    if (given.length > 0 && forSession === undefined)
      return this.say(`MCP servers of the editor are not connected here: ${given.join(', ')}.`);
    const missing = serversNoted((await agent.session(id))?.state).filter((name) => !given.includes(name));
    if (missing.length > 0)
      await this.say(
        `This session has worked with MCP servers of the editor that it does not have here: ${missing.join(', ')}. Calls of their tools fail.`,
      );
  }

  /** Asks the open questions outside of a prompt, and continues the run once all are answered. */
  async settle(): Promise<void> {
    if (this.#turn !== undefined) return;
    const open = await pendingInterrupts(this.#store, this.#options.id);
    if (open.length === 0 || this.#turn !== undefined) return;
    await this.#begin(this.#settle(this.#cancelling.signal)).ended;
  }

  /**
   * Answers a prompt. If another prompt is being answered, the new one is sent to its run, and both end together. A
   * command of a plugin waits until the run is over.
   */
  async prompt(blocks: readonly ContentBlock[]): Promise<StopReason> {
    const { signal } = this.#cancelling;
    const message = messageOfBlocks(blocks);
    const called = await this.#called(blocks);
    if (called?.is === 'own') return this.#answerItself(called);
    for (let running = this.#turn; running !== undefined && !signal.aborted; running = this.#turn) {
      const isSent = called === undefined && (await this.#sent(message)) !== undefined;
      const ended = running.ended;
      if (isSent) return ended;
      await ended.catch(() => undefined);
    }
    if (signal.aborted) return 'cancelled';
    return this.#begin(this.#answer(called?.input ?? message, message, signal)).ended;
  }

  /** Aborts the work on the prompt, and drops those that wait. A question that is shown stays open. */
  cancel(): void {
    this.#cancelling.abort();
    this.#cancelling = new AbortController();
  }

  send(update: SessionUpdate): Promise<void> {
    const { id: sessionId, client } = this.#options;
    return client.notify('session/update', { sessionId, update });
  }

  /** Shows text about the session that is not stored with it. */
  say(text: string): Promise<void> {
    return this.#updates.say(text);
  }

  /** Cancels the work on the prompt, and waits for its end. */
  async close(): Promise<void> {
    this.cancel();
    await this.#turn?.ended.catch(() => undefined);
    await this.agents.close();
  }

  get #store(): Store {
    return this.#options.served().store;
  }

  /** The identity of the session's runs. */
  get run() {
    return { sessionId: this.#options.id, context: this.context };
  }

  #newUpdates(): RunUpdates {
    const { cwd, roots, abilities } = this.#options;
    const { notices, compactions } = abilities;
    return new RunUpdates({
      send: (update) => this.send(update),
      places: { cwd, roots },
      findTool: (called) => this.agents.last.tools.list().find(({ name }) => name === called),
      contextTokens: () => this.agents.last.model.limits?.contextTokens,
      notices,
      compactions,
    });
  }

  async #called(blocks: readonly ContentBlock[]): Promise<CalledCommand | undefined> {
    if (!isCommand(blocks)) return undefined;
    return calledCommand(blocks, await this.agents.get(), this.run);
  }

  /** Answers a prompt that is not a message, but a command about the session. */
  async #answerItself(command: Extract<CalledCommand, { is: 'own' }>): Promise<StopReason> {
    const { id: sessionId, served, reload } = this.#options;
    const agent = await this.agents.get();
    await this.say(await command.run({ sessionId, agent, served: served(), reload }));
    return 'end_turn';
  }

  #begin(work: Promise<StopReason>): Turn {
    const ended = work.finally(() => {
      this.#turn = undefined;
    });
    this.#turn = { ended };
    return this.#turn;
  }

  /** Sends a message to the unfinished run of the session. Returns its id; undefined if there is no such run. */
  async #sent(message: MessageInput): Promise<string | undefined> {
    const agent = await this.agents.get();
    return agent.send(this.#options.id, message, { by }).catch((error: unknown) => {
      if (isShallotError(error, 'SESSION_NOT_FOUND') || isShallotError(error, 'SESSION_NOT_RUNNING'))
        return undefined;
      throw error;
    });
  }

  async #answer(input: Input, message: MessageInput, signal: AbortSignal): Promise<StopReason> {
    const { id, cwd } = this.#options;
    // The wait can be aborted, because the agent's MCP servers may take long to start.
    const agent = await Promise.race([this.agents.get(), aborted(signal)]);
    if (agent === undefined) return 'cancelled';
    const view = await agent.session(id);
    // A run that waits for an answer, or whose process died, continues with the message.
    if (view?.status === 'interrupted' || view?.status === 'running') {
      const messageId = await this.#sent(message);
      const reason = await this.#settle(signal);
      if (reason === 'cancelled' && messageId !== undefined) await agent.unsend(id, messageId);
      return reason;
    }
    // The run was cancelled here, or has failed in view of the person who continues, so it can be abandoned.
    const abandon = view?.resumable === true;
    if (abandon) await this.#inOrder(() => this.#updates.end());
    const title = titleOf(message);
    this.#from = view?.messages.length ?? 0;
    const run = { ...this.run, signal, abandon, cwd, ...(title !== '' && { title }) };
    try {
      return await this.#follow(agent.stream(input, run), signal);
    } catch (error) {
      if (isAtWorkElsewhere(error)) await this.#inOrder(() => this.#updates.end());
      throw error;
    }
  }

  /** Asks the open questions, then continues the run, or shows it while another process works on it. */
  async #settle(signal: AbortSignal): Promise<StopReason> {
    for (;;) {
      if (!(await this.#questionsAnswered(signal))) return signal.aborted ? 'cancelled' : 'end_turn';
      const after =
        this.#updates.last ?? (await this.agents.last.session(this.#options.id))?.messages.at(-1)?.id;
      try {
        return await this.#follow(await this.#resumed(signal), signal);
      } catch (error) {
        if (!isAtWorkElsewhere(error)) throw error;
      }
      const reason = await this.#watched(after, signal);
      if (reason !== undefined) return reason;
    }
  }

  /**
   * Shows a run of another process. Resolves to undefined if the run must be continued here, because it waits for an
   * answer, or because nobody works on it.
   */
  async #watched(after: string | undefined, signal: AbortSignal): Promise<StopReason | undefined> {
    const { id } = this.#options;
    const end = await watchRun(this.#store, id, {
      after,
      signal,
      onEvent: (event) => this.#inOrder(() => this.#updates.followed(event)),
    });
    if (signal.aborted) {
      await stopRun(this.#store, id);
      return 'cancelled';
    }
    return end === undefined || end.outcome === 'interrupted' ? undefined : stopReasonOf(end);
  }

  async #resumed(signal: AbortSignal): Promise<RunStream> {
    const { context } = this;
    const agent = await this.agents.get();
    this.#from = (await agent.session(this.#options.id))?.messages.length ?? 0;
    return agent.streamResume(this.#options.id, {}, { context, signal, by });
  }

  /** Shows a run to its end, with the questions that it asks. */
  async #follow(stream: RunStream, signal: AbortSignal): Promise<StopReason> {
    let next = stream;
    for (;;) {
      const result = await this.#shown(next, signal);
      if (result === 'cancelled') return 'cancelled';
      if (result.outcome !== 'interrupted') return stopReasonOf(result);
      if (!(await this.#questionsAnswered(signal))) return signal.aborted ? 'cancelled' : 'end_turn';
      next = await this.#resumed(signal);
    }
  }

  async #shown(stream: RunStream, signal: AbortSignal): Promise<RunResult | 'cancelled'> {
    try {
      for await (const event of stream) await this.#inOrder(() => this.#updates.event(event));
      return await stream.result;
    } catch (error) {
      if (isAtWorkElsewhere(error)) throw error;
      await this.#inOrder(() => this.#updates.end());
      if (signal.aborted) return 'cancelled';
      throw error;
    } finally {
      this.#from = Infinity;
      this.#updates.forget();
    }
  }

  /** Does work after all that was passed before it. A load, for example, then shows the session between two events of its run. */
  #inOrder(work: () => Promise<void>): Promise<void> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }

  /**
   * Asks one open question after the other, and stores each answer at once. Resolves to true if none is left; false if one
   * stays open.
   */
  async #questionsAnswered(signal: AbortSignal): Promise<boolean> {
    const { id, client, abilities } = this.#options;
    const store = this.#store;
    const diffs = (call: KnownCall): ToolCallContent[] => this.#updates.diffs(call);
    const asker = { client, sessionId: id, forms: abilities.forms, signal, diffs };
    for (let wrong = 0; wrong < maxWrongAnswers;) {
      const [question] = await pendingInterrupts(store, id);
      if (question === undefined) return true;
      const { call } = question;
      if (call !== undefined) await this.#inOrder(() => this.#updates.announce(call));
      const answer = await ask(question, asker);
      if (answer === undefined) {
        if (!signal.aborted) await this.#updates.say(waiting(question));
        return false;
      }
      try {
        await answerInterrupts(store, id, { [question.id]: answer }, { by });
        wrong = 0;
      } catch (error) {
        // Somebody else has answered it meanwhile.
        if (isShallotError(error, 'INTERRUPT_UNKNOWN')) continue;
        if (!isShallotError(error, 'INTERRUPT_ANSWER')) throw error;
        wrong += 1;
        await this.#updates.notice('warning', 'The answer does not fit', error.message);
      }
    }
    return false;
  }
}

/** Returns the message about a question that stays open. */
function waiting({ id, kind }: Interrupt): string {
  return `The run waits for an answer (${kind}). Prompt again to be asked, or answer it in a terminal: shallot answer ${id} '<json>'`;
}

/** Returns true for an error that refuses a run because another process works on it. */
function isAtWorkElsewhere(error: unknown): boolean {
  return isShallotError(error, 'STORE_CONFLICT') || isShallotError(error, 'SESSION_BUSY');
}

function stopReasonOf({ stopReason }: Pick<RunResult, 'stopReason'> | WatchedEnd): StopReason {
  switch (stopReason) {
    case 'length':
      return 'max_tokens';
    case 'max-steps':
      return 'max_turn_requests';
    case 'content-filter':
      return 'refusal';
    case 'abort':
      return 'cancelled';
    default:
      return 'end_turn';
  }
}

/** Resolves to undefined once the signal is aborted. */
async function aborted(signal: AbortSignal): Promise<undefined> {
  if (!signal.aborted) await once(signal, 'abort');
  return undefined;
}
