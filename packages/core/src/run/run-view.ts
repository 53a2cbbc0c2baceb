import { ShallotError } from '../base/errors.ts';
import { handled } from '../base/handled.ts';
import type { Schema, SchemaOutput } from '../base/schema.ts';
import type { Run } from '../contract/hooks.ts';
import type { InterruptRequest } from '../contract/interrupt.ts';
import type { Message } from '../contract/messages.ts';
import type { RunUsage } from '../contract/usage.ts';
import type { Files } from '../files/files.ts';
import type { LiveTap } from '../hooks/live-tap.ts';
import type { Owner } from '../hooks/owner.ts';
import type { Logger } from '../log/logger.ts';
import type { ActiveRun } from './active-run.ts';
import { ask, type Asker } from './ask.ts';
import { once } from './once.ts';

/** A run as one plugin sees it: the same object in all its hooks. */
export class RunView implements Run {
  readonly #run: ActiveRun;
  readonly #owner: Owner;
  #log: Logger | undefined;
  /** The questions that the tap that is under way has asked. */
  #asked: Asker['asked'] | undefined;
  #tap: LiveTap | undefined;

  constructor(run: ActiveRun, owner: Owner) {
    this.#run = run;
    this.#owner = owner;
  }

  /** The run behind a view that a plugin hands back. @throws `OPTION_INVALID` for anything else */
  static runOf(view: unknown): ActiveRun {
    if (typeof view === 'object' && view !== null && #run in view) return view.#run;
    throw new ShallotError('OPTION_INVALID', {
      message: 'The argument is not a run. Pass the run that the hook received, or scope.run.',
    });
  }

  /** What a plugin sees of a run. */
  static of(run: ActiveRun, owner: Owner): RunView {
    const known = run.view(owner.slot);
    if (known !== undefined && #run in known) return known;
    const view = new RunView(run, owner);
    run.keepView(owner.slot, view);
    return view;
  }

  /** Notes which tap is under way: ids of questions are made of it. */
  enter(tap: LiveTap): void {
    this.#tap = tap;
    this.#asked = undefined;
  }

  get id(): string {
    return this.#run.id;
  }

  get sessionId(): string {
    return this.#run.session.id;
  }

  get step(): number {
    return this.#run.progress.step;
  }

  get agent(): string {
    return this.#run.parts.name;
  }

  get context(): unknown {
    return this.#run.context;
  }

  get resumed(): boolean {
    return this.#run.resumed;
  }

  get signal(): AbortSignal {
    return this.#run.life.signal;
  }

  get usage(): RunUsage {
    return this.#run.progress.usage;
  }

  get messages(): readonly Message[] {
    return this.#run.session.messages;
  }

  get newMessages(): readonly Message[] {
    const { session, progress } = this.#run;
    const { stepStart, input, position } = progress;
    return Object.freeze(position.at === 'input' ? [...input] : session.messagesFrom(stepStart));
  }

  get files(): Files {
    return this.#run.parts.files(this);
  }

  get log(): Logger {
    this.#log ??= this.#owner.log.child({ runId: this.id, sessionId: this.sessionId });
    return this.#log;
  }

  // What follows is often taken out of the object: each getter gives a function that needs no `this`.

  get event(): Run['event'] {
    return (name, data = null) => this.#run.pluginEvent(this.#owner.id, name, data);
  }

  get warn(): Run['warn'] {
    const { name, id } = this.#owner;
    return (code, message) => this.#run.warn(`${name}/${code}`, message, id);
  }

  get end(): Run['end'] {
    return (answer, options = {}) => {
      if (this.#run.current.name === 'afterAgent')
        throw this.#misplaced('end', 'beforeAgent, beforeModel, afterModel and the wraps');
      this.#run.end(answer, options.reason ?? 'ended', this.#owner.id);
    };
  }

  get again(): Run['again'] {
    return (messages) => {
      if (this.#run.current.name !== 'afterModel') throw this.#misplaced('again', 'afterModel');
      this.#run.again(messages, this.#owner.id);
    };
  }

  get setInput(): Run['setInput'] {
    return (messages) => {
      if (this.#run.current.name !== 'beforeAgent') throw this.#misplaced('setInput', 'beforeAgent');
      this.#run.progress.replaceInput(this.#run.toMessages(messages, this.#owner.id));
    };
  }

  get interrupt(): Run['interrupt'] {
    return (request) => handled(this.#interrupt(request));
  }

  get once(): Run['once'] {
    return (key, fn) => {
      const run = this.#run;
      const { id } = this.#owner;
      const counted = (): ReturnType<typeof fn> =>
        run.waits.around({ plugin: id, what: `once("${key}")` }, fn);
      return once(run, `once:${run.progress.step}:${run.current.name ?? 'frame'}:${id}:${key}`, id, counted);
    };
  }

  async #interrupt<S extends Schema>(request: InterruptRequest<S>): Promise<SchemaOutput<S>> {
    const hook = this.#run.current.name;
    if (hook !== 'beforeModel' && hook !== 'afterModel') {
      throw this.#misplaced('interrupt', 'beforeModel and afterModel', 'INTERRUPT_NOT_ALLOWED');
    }
    this.#asked ??= new Map();
    const place = [hook, this.#tap?.key ?? ''];
    const asker = { plugin: this.#owner.id, place, call: undefined, asked: this.#asked };
    return ask(this.#run, asker, request);
  }

  #misplaced(
    method: string,
    hooks: string,
    code: 'OPTION_INVALID' | 'INTERRUPT_NOT_ALLOWED' = 'OPTION_INVALID',
  ): ShallotError {
    const hook = this.#run.current.name;
    return new ShallotError(code, {
      message: `${this.#owner.id} called run.${method} in ${hook ?? 'no hook'}; it works only in ${hooks}.`,
      plugin: this.#owner.id,
      ...(hook === undefined ? {} : { hook }),
    });
  }
}
