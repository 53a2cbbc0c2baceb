import type { Address, CallAddress } from '../base/address.ts';
import { ShallotError } from '../base/errors.ts';
import { handled } from '../base/handled.ts';
import type { HookName } from '../base/hook-names.ts';
import type { Schema, SchemaOutput } from '../base/schema.ts';
import { asThrown } from '../base/thrown.ts';
import type { Run } from '../contract/hooks.ts';
import type { InterruptRequest } from '../contract/interrupt.ts';
import type { Message, MessageInput } from '../contract/messages.ts';
import type { RunUsage } from '../contract/usage.ts';
import type { Files } from '../files/files.ts';
import { withResults } from '../files/with-results.ts';
import type { Owner } from '../hooks/owner.ts';
import type { Logger } from '../log/logger.ts';
import type { ActiveRun } from './active-run.ts';
import { addressOf } from './address-of.ts';
import { ask } from './ask.ts';
import { whileHeld } from './held-files.ts';
import { once } from './once.ts';
import type { HeldView } from './parts/held-view.ts';
import type { Ending } from './parts/verdict.ts';

/** A plugin's view of a run; one object for all its hooks, until one of its taps is abandoned. */
export class RunView implements Run {
  readonly #run: ActiveRun;
  readonly #owner: Owner;
  readonly #held: HeldView;
  #log: Logger | undefined;
  #files: Files | undefined;

  constructor(run: ActiveRun, owner: Owner, held: HeldView) {
    this.#run = run;
    this.#owner = owner;
    this.#held = held;
  }

  /** Returns the run behind a view that a plugin passes back. @throws `OPTION_INVALID` for anything else */
  static runOf(view: unknown): ActiveRun {
    if (typeof view === 'object' && view !== null && #run in view) return view.#run;
    throw new ShallotError('OPTION_INVALID', {
      message: 'The argument is not a run. Pass the run that the hook received, or scope.run.',
    });
  }

  /** The current hook of the run. Throws for an abandoned tap, since the run may already be in a later hook. */
  get #hook(): HookName | undefined {
    const { abandoned } = this.#held;
    if (abandoned !== undefined) throw abandoned.error;
    return this.#run.life.hook.name;
  }

  get id(): string {
    return this.#run.terms.id;
  }

  get sessionId(): string {
    return this.#run.record.session.id;
  }

  get step(): number {
    return this.#run.record.progress.step;
  }

  get maxSteps(): number {
    return this.#run.terms.parts.maxSteps;
  }

  get agent(): string {
    return this.#run.terms.parts.name;
  }

  get context(): unknown {
    return this.#run.terms.context;
  }

  get address(): Address {
    return addressOf(this.#run.terms, this.#run.record);
  }

  get parent(): CallAddress | undefined {
    return this.#run.terms.parent?.call;
  }

  get traceparent(): string | undefined {
    return this.#run.record.traceparent;
  }

  get resumed(): boolean {
    return this.#run.record.isResumed;
  }

  get signal(): AbortSignal {
    return this.#run.life.signal;
  }

  get usage(): RunUsage {
    return this.#run.record.progress.usage;
  }

  get messages(): readonly Message[] {
    return this.#run.record.session.messages;
  }

  get newMessages(): readonly Message[] {
    const { session, progress } = this.#run.record;
    const { stepStart, input, isInputTaken } = progress;
    return Object.freeze(isInputTaken ? session.messagesFrom(stepStart) : [...input]);
  }

  get files(): Files {
    // A child may get the path of a result that a fork has copied: the copy is stored under the root's session.
    const root = this.#run.record.session.about?.root ?? this.sessionId;
    const run = this.#run;
    this.#files ??= withResults(run.terms.parts.files(this), root, (change) => whileHeld(run, change));
    return this.#files;
  }

  get log(): Logger {
    this.#log ??= this.#owner.log.child({ runId: this.id, sessionId: this.sessionId });
    return this.#log;
  }

  // Getters return functions without `this`, since plugins often destructure them.

  get event(): Run['event'] {
    return (name, data = null) => this.#run.signs.pluginEvent(this.#owner.id, name, data);
  }

  get warn(): Run['warn'] {
    const { name, id } = this.#owner;
    return (code, message) => this.#run.signs.warn(`${name}/${code}`, message, id);
  }

  get end(): Run['end'] {
    return (answer, options = {}) => {
      if (this.#hook === 'afterAgent')
        throw this.#misplaced('end', 'beforeAgent, beforeModel, afterModel and the wraps');
      // An abandoned tap of a stopped run must not end it: its answer would replace the one that the aborted run keeps.
      this.#run.life.throwIfStopped();
      this.#end(answer, options.reason ?? 'ended');
    };
  }

  get again(): Run['again'] {
    return (messages) => {
      if (this.#hook !== 'afterModel') throw this.#misplaced('again', 'afterModel');
      const { life, record } = this.#run;
      life.throwIfOver(this.#owner.id, 'again');
      record.verdict.again(messages === undefined ? [] : record.toMessages(messages, this.#owner.id));
    };
  }

  get setInput(): Run['setInput'] {
    return (messages) => {
      if (this.#hook !== 'beforeAgent') throw this.#misplaced('setInput', 'beforeAgent');
      this.#run.record.progress.replaceInput(this.#run.record.toMessages(messages, this.#owner.id));
    };
  }

  get interrupt(): Run['interrupt'] {
    return (request) => handled(this.#interrupt(request));
  }

  get once(): Run['once'] {
    return (key, fn) => {
      const { abandoned } = this.#held;
      if (abandoned !== undefined) return handled(Promise.reject(asThrown(abandoned.error)));
      const run = this.#run;
      const { id } = this.#owner;
      const counted = (): ReturnType<typeof fn> =>
        run.signs.stretches.around({ plugin: id, what: `once("${key}")` }, fn);
      return once(
        run,
        `once:${run.record.progress.step}:${run.life.hook.name ?? 'frame'}:${id}:${key}`,
        id,
        counted,
      );
    };
  }

  /** Ends the run. The first call wins, and takes precedence over `again`. */
  #end(answer: string | MessageInput | undefined, reason: Ending['reason']): void {
    const { life, record } = this.#run;
    const { id } = this.#owner;
    life.throwIfOver(id, 'end');
    const own = typeof answer === 'object' ? record.toMessages(answer, id)[0] : answer;
    record.verdict.end(own, reason, id, record.newMessageId);
  }

  async #interrupt<S extends Schema>(request: InterruptRequest<S>): Promise<SchemaOutput<S>> {
    const hook = this.#hook;
    if (hook !== 'beforeModel' && hook !== 'afterModel') {
      throw this.#misplaced('interrupt', 'beforeModel and afterModel', 'INTERRUPT_NOT_ALLOWED');
    }
    const asked = (this.#held.asked ??= new Map());
    const place = [hook, this.#held.tap?.key ?? ''];
    const asker = { plugin: this.#owner.id, place, call: undefined, asked };
    return ask(this.#run, asker, request);
  }

  #misplaced(
    method: string,
    hooks: string,
    code: 'OPTION_INVALID' | 'INTERRUPT_NOT_ALLOWED' = 'OPTION_INVALID',
  ): ShallotError {
    const hook = this.#run.life.hook.name;
    return new ShallotError(code, {
      message: `${this.#owner.id} called run.${method} in ${hook ?? 'no hook'}; it works only in ${hooks}.`,
      plugin: this.#owner.id,
      ...(hook === undefined ? {} : { hook }),
    });
  }
}
