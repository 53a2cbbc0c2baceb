import { digestOf } from '../base/digest-of.ts';
import type { ShallotError } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import { isList, toMessages, type Input, type Message } from '../contract/messages.ts';
import type { StopReason } from '../contract/result.ts';
import type { ConfiguredPlugins, RunFailure, RunRecord } from '../contract/store.ts';
import type { ChangeDraft } from '../sessions/content/change-draft.ts';
import { completeInput } from '../sessions/content/complete-input.ts';
import { UniqueIds } from '../sessions/content/unique-ids.ts';
import type { LiveSession } from '../sessions/live/live-session.ts';
import { none, noAnswers, Questions } from '../sessions/questions/questions.ts';
import { gonePlugins } from './gone-plugins.ts';
import { attemptsIfDead, attemptsIfFailed, type Attempts } from './parts/attempts.ts';
import { Progress } from './parts/progress.ts';
import type { Resumption } from './parts/resumption.ts';
import { Verdict, type LastWord } from './parts/verdict.ts';
import type { PluginsInRun } from './plugins-in-run.ts';
import type { RunTerms } from './run-terms.ts';

/** The members of the record that a resumed run keeps. */
interface Resumed {
  readonly submitted: RunRecord['submitted'];
  readonly attempt: Attempt | undefined;
  /**
   * The prefix that keeps ids of a resumed run unique, since its counters restart at 0. The revision would not do: it
   * differs between stores.
   */
  readonly series: string;
}

/** A worker's attempt, which ends when the run reaches another step. */
interface Attempt {
  /** The attempts before it. */
  readonly last: Attempts | undefined;
  readonly ifDead: Attempts;
  readonly step: number;
  readonly pauseMs: number;
}

/** Writes the record of a run: owns the session and the parts that the record is made of. */
export class RecordWriter {
  readonly session: LiveSession;
  readonly progress: Progress;
  readonly verdict: Verdict;
  /**
   * Plugins with session state that are no longer configured. The session keeps them with those of the run, so that
   * their names and versions remain known.
   */
  readonly gonePlugins: ConfiguredPlugins | undefined;
  /** True for a run that an earlier process, or an earlier call, began to execute. */
  readonly isResumed: boolean;
  readonly #terms: RunTerms;
  /** Created on first access: most runs begin no children. */
  #digest: string | undefined;
  readonly #plugins: PluginsInRun;
  readonly #resumed: Resumed | undefined;
  /** Created on first access, since most runs ask no questions. */
  #questions: Questions | undefined;
  #isHandedBack = false;
  #messages = 0;
  #executions = 0;
  /** Returns a message id that is unique in the session, because it contains the run id. */
  readonly newMessageId = (): string => {
    this.#messages += 1;
    return `${this.#terms.id}.${this.#resumed?.series ?? ''}${this.#messages}`;
  };

  constructor(terms: RunTerms, session: LiveSession, plugins: PluginsInRun, resumption?: Resumption) {
    const record = resumption?.record;
    this.#terms = terms;
    this.session = session;
    this.#plugins = plugins;
    this.isResumed = record !== undefined && record.submitted?.isNew !== true;
    this.progress = new Progress(record, session.lastRun);
    this.verdict = new Verdict(record?.ending);
    const { host } = terms.parts;
    if (!session.isNew && session.hasState) this.gonePlugins = gonePlugins(host, session);
    const noted = this.gonePlugins === undefined ? host.record : { ...this.gonePlugins, ...host.record };
    if (!session.isNew || Object.keys(noted).length > 0) session.notePlugins(noted);
    if (resumption !== undefined) {
      this.#resumed = resumedFrom(resumption);
      this.#questions = questionsOf(resumption);
    }
  }

  get questions(): Questions {
    this.#questions ??= new Questions();
    return this.#questions;
  }

  /** The place in a trace that the run was submitted from. */
  get traceparent(): string | undefined {
    return this.#resumed?.submitted?.traceparent;
  }

  /** Returns true for ids that `newMessageId` makes. */
  isOwnId(id: string): boolean {
    return id.startsWith(`${this.#terms.id}.`);
  }

  /** Returns an id for a tool execution, unique in the session. */
  newExecutionId(): string {
    this.#executions += 1;
    return `${this.#terms.id}.${this.#resumed?.series ?? ''}execution.${this.#executions}`;
  }

  toMessages(input: Input, plugin?: string): Message[] {
    if (typeof input === 'string') return toMessages(input, this.newMessageId, plugin);
    return this.#withUniqueIds(input, plugin);
  }

  #withUniqueIds(input: Exclude<Input, string>, plugin: string | undefined): Message[] {
    const messages = isList(input)
      ? completeInput(input, this.newMessageId, plugin)
      : toMessages(input, this.newMessageId, plugin);
    if (this.session.length === 0) return messages;
    const given = isList(input) ? input : [input];
    const ids = new UniqueIds((id) => this.session.hasMessage(id), this.newMessageId);
    // Only ids from the caller can clash.
    return messages.map((message, index) => (given[index]?.id === undefined ? message : ids.take(message)));
  }

  /** A digest of the session and the run, which names the run in the ids of its children. */
  get digest(): string {
    this.#digest ??= digestOf([this.session.id, this.#terms.id]);
    return this.#digest;
  }

  /** Commits the messages of a turn together with the run's new position. */
  commitTurn(append: readonly Message[]): Promise<void> | undefined {
    return this.session.commit(this.#turn(append));
  }

  /** Holds the messages of the last turn, to commit them with the end. */
  holdTurn(append: readonly Message[]): void {
    this.session.hold(this.#turn(append));
  }

  #turn(append: readonly Message[]): ChangeDraft {
    this.questions.forget();
    this.progress.forgetShown();
    this.progress.settleChildren();
    const { journal } = this.session.clearedJournal();
    this.#terms.parent?.noteUsage(this.session.id, this.progress.usage);
    const run = this.toRecord();
    return journal === undefined ? { append, run } : { append, journal, run };
  }

  /** Sets the stop reason and the last message of the run. */
  close(reason: StopReason, lastWord: LastWord | undefined): void {
    this.verdict.close(lastWord);
    this.progress.end(reason, lastWord);
  }

  /**
   * Ends the run as `end` requested. Its last message is the answer given to `end`, or else `kept`. Returns the
   * messages to append to the session.
   */
  closeAsAsked(kept?: LastWord): Message[] {
    const { message, reason = 'ended' } = this.verdict.ending ?? {};
    const said = message && this.questions.noteIn(message);
    this.close(reason, said === undefined ? kept : { message: said, isShown: false });
    return said === undefined ? [] : [said];
  }

  /** Marks the run as handed back to other workers: this attempt does not count as failed. */
  handBack(): void {
    this.#isHandedBack = true;
  }

  /** Commits the record like `commitSoon`. The record is only made if no other commit stores it first. */
  recordSoon(): void {
    this.session.recordSoon(() => this.toRecord());
  }

  /** Returns the current record of the run. */
  toRecord(status: RunRecord['status'] = 'running', error?: ShallotError): RunRecord {
    const { progress, verdict } = this;
    const { id, parts, model } = this.#terms;
    const { position } = progress;
    const { usage, children } = progress.usageRecord(status);
    const record: { -readonly [K in keyof RunRecord]: RunRecord[K] } = {
      id,
      status,
      step: progress.step,
      usage,
      usageBefore: progress.usageBefore,
      startedAt: progress.startedAt,
      state: this.#plugins.stateRecord,
      position,
      interrupts: this.#questions?.of(status) ?? none,
      answers: this.#questions?.answers ?? noAnswers,
    };
    if (children !== undefined) record.children = children;
    if (this.#questions?.answered !== undefined) record.answered = this.#questions.answered;
    if (parts.identity !== undefined) record.agent = parts.identity;
    if (this.#terms.parent !== undefined) record.parent = this.#terms.parent.call;
    if (verdict.ending !== undefined && position.at !== 'end') record.ending = verdict.ending;
    if (progress.stopReason !== undefined) record.stopReason = progress.stopReason;
    if (status === 'aborted' && progress.shown !== undefined) record.shown = progress.shown;
    if (status === 'failed' && error !== undefined) record.failure = this.#failureOf(error);
    if (this.#resumed !== undefined) this.#keepResumed(record, this.#resumed);
    if (progress.firstMessage !== undefined) record.firstMessage = progress.firstMessage;
    if (model.toolChoice !== undefined)
      record.toolChoice = { choice: model.toolChoice, met: progress.isChoiceMet };
    // The schema was checked to be JSON when it was compiled.
    if (model.output !== undefined) record.output = model.output.schema as unknown as JsonObject;
    return record;
  }

  #failureOf({ code, message, transient, retryAt }: ShallotError): RunFailure {
    return {
      code,
      message: this.#terms.parts.redactor.text(message),
      ...(transient ? { transient } : {}),
      ...(retryAt === undefined ? {} : { retryAt }),
    };
  }

  #keepResumed(
    record: { -readonly [K in keyof RunRecord]: RunRecord[K] },
    { submitted, attempt }: Resumed,
  ): void {
    if (submitted !== undefined) record.submitted = submitted;
    if (attempt !== undefined) this.#setAttempts(record, attempt);
  }

  /** Sets the attempts in the record: those to count if the process dies now, or those after a transient failure. */
  #setAttempts(
    record: { -readonly [K in keyof RunRecord]: RunRecord[K] },
    { last, ifDead, step, pauseMs }: Attempt,
  ): void {
    const isHere = record.step === step && !this.#isHandedBack;
    const { status, failure } = record;
    if (status === 'running') {
      if (isHere) record.attempts = ifDead;
    } else if (failure?.transient === true) {
      const failed = attemptsIfFailed(isHere ? last : undefined, pauseMs);
      record.attempts = { ...failed, notBefore: Math.max(failed.notBefore, failure.retryAt ?? 0) };
    }
  }
}

function resumedFrom({ record, id, pauseMs }: Resumption): Resumed {
  return {
    submitted: record.submitted && withoutNew(record.submitted),
    series: `${id.slice('resume_'.length).slice(0, 8)}.`,
    attempt:
      pauseMs === undefined
        ? undefined
        : {
            last: record.attempts,
            ifDead: attemptsIfDead(record.attempts, pauseMs),
            step: record.step,
            pauseMs,
          },
  };
}

/** Returns the questions of a resumed run. After `end`, stored ones need no answer. */
function questionsOf({ record, given }: Resumption): Questions {
  return new Questions(record.ending === undefined ? record.interrupts : undefined, given);
}

function withoutNew(submitted: NonNullable<RunRecord['submitted']>): RunRecord['submitted'] {
  if (submitted.isNew === undefined) return submitted;
  const { isNew: _, ...rest } = submitted;
  return rest;
}
