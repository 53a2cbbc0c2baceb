import { randomUUID } from 'node:crypto';

import {
  isShallotError,
  textOf,
  type Agent,
  type Input,
  type Interrupt,
  type RunStream,
  type SessionView,
} from '@shallot/core';
import type { UserCommand } from '@shallot/core/plugin';
import { isClaimLive, type Store } from '@shallot/core/store';
import { setTitle } from '@shallot/core/work';

import { answerPending } from '../asking/answer-pending.ts';
import { isUnsettled, withWayOn, withWaysOut } from '../asking/ways-out.ts';
import { markdownPage } from '../markdown/markdown-page.ts';
import { noteFailure } from '../rendering/note-failure.ts';
import { textRenderer } from '../rendering/render-text.ts';
import { renderTranscript } from '../rendering/render-transcript.ts';
import { count } from '../terminal/count.ts';
import { exitStatus, signalStatus } from '../terminal/exit-status.ts';
import { rejectOnAbort } from '../terminal/read-question.ts';
import type { Renderer } from '../terminal/renderer.ts';
import type { Screen } from '../terminal/screen.ts';
import { statusOfResult } from '../terminal/status-of.ts';
import { visibleLine } from '../terminal/visible.ts';
import { childSessions, findChild, type ChildSession } from '../work/child-sessions.ts';
import { chooseMode } from '../work/choose-mode.ts';
import { followRun } from '../work/follow-run.ts';
import { keepModel } from '../work/keep-model.ts';
import { noteWaiting } from '../work/note-waiting.ts';
import { notesHere } from '../work/notes-here.ts';
import { summaryOf } from '../work/summary-of.ts';
import type { OpenedAgent, ReloadChanges } from '../work/with-agent.ts';
import { withoutFile } from '../work/without-file.ts';
import type { ChatOptions } from './chat-options.ts';
import { chooseWay } from './choose-way.ts';
import type { Desk } from './desk.ts';
import { steering, type Steering } from './steering.ts';

/** The parts of an opened agent that a chat uses. */
type ChatAgent = Pick<OpenedAgent, 'agent' | 'store' | 'reload'>;

export interface ChatParts {
  readonly opened: ChatAgent;
  /** The session to continue. Default: a new one. */
  readonly sessionId: string | undefined;
  /** Called when the available commands may have changed: after a reload, and in another session. */
  readonly onCommands: (chat: Chat) => void;
  /** Executes a command that works during a run. Resolves to false for any other text. */
  readonly commandAtOnce: (chat: Chat, text: string) => Promise<boolean>;
  readonly screen: Screen;
  readonly options: ChatOptions;
  readonly desk: Desk;
}

/** A conversation with an agent: one session at a time, one run per message. */
export class Chat {
  readonly screen: Screen;
  readonly options: ChatOptions;
  readonly #onCommands: ChatParts['onCommands'];
  readonly #commandAtOnce: ChatParts['commandAtOnce'];
  readonly #store: Store;
  readonly #desk: Desk;
  #opened: ChatAgent;
  #sessionId: string;
  #commands: Promise<readonly UserCommand[]> | undefined;
  /** True if the next message abandons an unfinished run. */
  #abandon: boolean;
  /** The title for a session that is not stored yet. */
  #title: string | undefined;
  /** The model that the user chose for the session, if any. Each message stores it with the session. */
  #changes: ReloadChanges = {};
  /** The mode that a person chose; it holds for the sessions of the chat. */
  #mode: string | undefined;

  constructor({ opened, sessionId, onCommands, commandAtOnce, screen, options, desk }: ChatParts) {
    this.#opened = opened;
    this.#onCommands = onCommands;
    this.#commandAtOnce = commandAtOnce;
    this.screen = screen;
    this.options = options;
    this.#store = opened.store;
    this.#desk = desk;
    this.#sessionId = sessionId ?? newSession();
    if (options.mode !== undefined) this.chooseMode(options.mode);
    this.#abandon = options.abandon ?? false;
  }

  get agent(): Agent {
    return this.#opened.agent;
  }

  get sessionId(): string {
    return this.#sessionId;
  }

  /** Returns the commands that plugins provide. If they cannot be listed, reports the error and returns none. */
  commands(): Promise<readonly UserCommand[]> {
    this.#commands ??= this.agent.commands({ sessionId: this.#sessionId }).catch((error: unknown) => {
      noteFailure(error, this.screen);
      return [];
    });
    return this.#commands;
  }

  #forgetCommands(): void {
    this.#commands = undefined;
    this.#onCommands(this);
  }

  /** Returns the stored session; undefined before its first message. */
  view(): Promise<SessionView | undefined> {
    return this.agent.session(this.#sessionId);
  }

  /** Returns the sessions of the subagents of this session. */
  children(): Promise<readonly ChildSession[]> {
    return childSessions(this.#store, this.#sessionId);
  }

  /** Returns what a subagent of this session has done, as Markdown; undefined if there is none with this id. */
  async transcriptOf(childId: string): Promise<string | undefined> {
    const child = await findChild(this.#store, this.#sessionId, childId);
    const record = child && (await this.#store.load(child.id));
    return child && record && renderTranscript(child, record.messages);
  }

  /**
   * Stops a subagent of this session after its current step. Returns false if it is not at work. @throws
   * `SESSION_IS_CHILD` while it waits
   */
  async stopChild(childId: string): Promise<boolean> {
    const child = await findChild(this.#store, this.#sessionId, childId);
    return child !== undefined && (await this.agent.stop(child.id));
  }

  /** Returns the title of the session; undefined without one. */
  async title(): Promise<string | undefined> {
    return (await summaryOf(this.#store, this.#sessionId))?.about?.title ?? this.#title;
  }

  /** Sets the title of the session, also before its first message. @throws `OPTION_INVALID` */
  async setTitle(title: string): Promise<void> {
    try {
      await setTitle(this.#store, this.#sessionId, title);
    } catch (error) {
      // The title itself was checked before the session was looked for.
      if (!isShallotError(error, 'SESSION_NOT_FOUND')) throw error;
      this.#title = title;
    }
  }

  /**
   * Changes the model of the session, beginning with its next message. If the session is not stored yet, that message
   * stores the model. If the config cannot be reloaded, the model stays.
   */
  async chooseModel(model: string): Promise<void> {
    if (await this.reload({ model })) await keepModel(this.#store, this.#sessionId, model);
  }

  /** Chooses the mode of the permissions. @throws a usage failure */
  chooseMode(mode: string): void {
    chooseMode(this.agent, this.#sessionId, mode);
    this.#mode = mode;
  }

  /** Starts another session. */
  async begin(): Promise<void> {
    this.#sessionId = newSession();
    this.#abandon = false;
    this.#title = undefined;
    this.#forgetCommands();
    if (this.#mode !== undefined) this.chooseMode(this.#mode);
    this.screen.note(`New session: ${this.#sessionId}`);
    if (this.#changes.model !== undefined) await this.reload({});
  }

  /**
   * Reloads the config for the next messages, with the model of the session or another one. If that fails, reports the
   * error, keeps the agent, and returns false.
   */
  async reload(changes: ReloadChanges = this.#changes): Promise<boolean> {
    const reloading = this.#opened.reload(changes).then((opened) => {
      this.#opened = opened;
      this.#changes = changes;
      if (this.#mode !== undefined) this.chooseMode(this.#mode);
      this.#forgetCommands();
    });
    try {
      await this.#desk.attend((signal) => Promise.race([reloading, rejectOnAbort(signal)]));
    } catch (error) {
      noteFailure(changes.model === undefined ? error : withoutFile(error), this.screen);
      this.screen.note('The agent was not reloaded: it stays as it is.');
      return false;
    }
    const { name, model, plugins } = this.agent;
    this.screen.note(
      `Reloaded: ${visibleLine(name)}  ${visibleLine(model.id)}, ${count(plugins.length, 'plugin')}`,
    );
    return true;
  }

  /**
   * Sends a message and shows the run. Errors are reported, and the chat can continue. Returns the exit status that a
   * single run would have. A message that cannot be sent goes back into the line as it was typed.
   */
  async send(input: Input, typed: string): Promise<number> {
    for (;;) {
      const [abandon, title] = [this.#abandon, this.#title];
      const { model: modelName } = this.#changes;
      const status = await this.#follow((signal) =>
        this.agent.stream(input, {
          sessionId: this.#sessionId,
          signal,
          ...notesHere(this.screen, typed),
          ...(title !== undefined && { title }),
          ...(modelName !== undefined && { modelName }),
          ...(abandon && { abandon }),
        }),
      );
      if (status !== 'unsettled') {
        this.#abandon = false;
        this.#title = undefined;
        return status;
      }
      const way = await this.#settleOnce();
      if (way === 'later') {
        this.screen.note('The message was not sent.');
        this.#desk.putBack(typed);
        return exitStatus.waiting;
      }
    }
  }

  /** Asks what to do about an unfinished run of the session; where nobody can answer, only reports it. */
  async settle(): Promise<void> {
    const open = await this.#open();
    if (open.length === 0 && !(await this.#isUnfinished())) {
      this.screen.note('No question is open.');
    } else if (this.#desk.asks) {
      await this.#settleOnce();
    } else {
      await noteWaiting(this.#sessionId, open, this, this.screen);
    }
  }

  /**
   * Resumes the last run, if there is one to resume. Where someone can answer, asks its open questions first, and does not
   * resume it if one stays open.
   */
  async resume(): Promise<void> {
    const view = await this.view();
    if (view?.resumable !== true) {
      this.screen.note('There is no run to resume.');
      return;
    }
    if (this.#desk.asks && view.interrupts.length > 0 && !(await this.#answer(this.#sessionId))) return;
    await this.#follow((signal) => this.agent.streamResume(this.#sessionId, {}, { signal }));
  }

  /** Shows the size and title of a continued session, loads its model, and asks about its unfinished run. */
  async welcome(): Promise<void> {
    const record = await this.#store.load(this.#sessionId);
    if (record === undefined) return;
    const { messages, claim, run, about: { title = '', modelName } = {} } = record;
    const name = visibleLine(this.#sessionId);
    if (!this.options.quiet) {
      const size = count(messages.length, 'message');
      const called = title === '' ? '' : `  “${visibleLine(title)}”`;
      this.screen.note(this.screen.paintNotes.dim(`session ${name} has ${size}${called}`));
    }
    if (modelName !== undefined) await this.reload({ model: modelName });
    if (claim !== undefined && isClaimLive(claim)) {
      this.screen.note(
        `${this.screen.paintNotes.yellow('warning')} Process ${claim.pid} on ${visibleLine(claim.host)} is working on session ${name}: wait for it before you send a message, or start another session with /new.`,
      );
    } else if (run?.status === 'interrupted' || run?.status === 'running') {
      if (this.#desk.asks && !this.#abandon) await this.#settleOnce();
    }
  }

  /** Returns the open questions. */
  async #open(): Promise<readonly Interrupt[]> {
    return (await this.view())?.interrupts ?? [];
  }

  async #isUnfinished(): Promise<boolean> {
    const { run, claim } = (await this.#store.load(this.#sessionId)) ?? {};
    return run?.status === 'running' && !(claim !== undefined && isClaimLive(claim));
  }

  /** Asks once what to do about the unfinished run. Returns `later` if the run stays unfinished. */
  async #settleOnce(): Promise<'done' | 'later'> {
    const open = await this.#open();
    const way = await this.#desk.ask((prompts) =>
      chooseWay({ sessionId: this.#sessionId, open: open.length, prompts }),
    );
    if (way === 'later') return way;
    if (way === 'abandon') {
      this.#abandon = true;
      return 'done';
    }
    if (open.length > 0 && !(await this.#answer(this.#sessionId))) return 'later';
    const status = await this.#follow((signal) => this.agent.streamResume(this.#sessionId, {}, { signal }));
    return status === exitStatus.completed || status === exitStatus.short ? 'done' : 'later';
  }

  /**
   * Shows a run to its end. Returns `unsettled` if an unfinished run prevents the new one and someone can be asked what to
   * do; otherwise its exit status. Errors are reported.
   */
  #follow(begin: (signal: AbortSignal) => RunStream): Promise<number | 'unsettled'> {
    const { agent, screen, options } = this;
    const { quiet = false, reasoning } = options;
    return this.#desk.attend(async (signal) => {
      const { asks } = this.#desk;
      const renderer = textRenderer(screen, { page: markdownPage, quiet, reasoning, asks, inChat: true });
      try {
        const answer = async (sessionId: string): Promise<boolean> => asks && this.#answer(sessionId);
        const heard = this.#heard(renderer);
        const result = await screen.uncaught.orFailed(signal, (running) =>
          followRun(begin(running), { agent, renderer: heard, signal: running, answer }),
        );
        if (result.outcome === 'interrupted') await this.#noteOpen();
        return statusOfResult(result);
      } catch (error) {
        if (isUnsettled(error) && asks) return 'unsettled';
        await renderer.failed(error);
        if (signal.aborted && (error === signal.reason || isShallotError(error, 'RUN_ABORTED'))) {
          screen.note(this.#desk.stopped);
          return signalStatus('SIGINT');
        }
        const explained = withWayOn(withWaysOut(error, this.#sessionId, options, screen), () => '/resume');
        return noteFailure(explained, screen);
      }
    });
  }

  /**
   * Returns a renderer that also connects the desk to each run, so that it can send messages, and tells the desk
   * which ones were read.
   */
  #heard(renderer: Renderer): Renderer {
    const { agent, screen } = this;
    const commandAtOnce: Steering['commandAtOnce'] = async ({ id, text }) => {
      const isDone = await this.#commandAtOnce(this, text);
      if (isDone) this.#desk.read(id);
      return isDone;
    };
    return {
      ...renderer,
      event: (event) => {
        if (event.type === 'run-start')
          this.#desk.steer(steering({ agent, sessionId: event.sessionId, screen, commandAtOnce }));
        else if (event.type === 'message-taken') this.#desk.read(event.message.id, textOf(event.message));
        return renderer.event(event);
      },
    };
  }

  #answer(sessionId: string): Promise<boolean> {
    const { ask, current: signal } = this.#desk;
    const { screen, agent } = this;
    return answerPending(this.#store, sessionId, { screen, ask, signal, permissions: agent.permissions });
  }

  async #noteOpen(): Promise<void> {
    const open = await this.#open();
    if (!this.#desk.asks) return noteWaiting(this.#sessionId, open, this, this.screen);
    const questions = `${count(open.length, 'question')} ${open.length === 1 ? 'is' : 'are'}`;
    this.screen.note(
      `${this.screen.paintNotes.yellow('waiting')} ${questions} still open: answer with /pending.`,
    );
  }
}

function newSession(): string {
  return `session_${randomUUID()}`;
}
