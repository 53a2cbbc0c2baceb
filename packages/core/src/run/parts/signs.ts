import type { ShallotError } from '../../base/errors.ts';
import { frozenJson } from '../../base/json/frozen-json.ts';
import type { AgentEvent } from '../../contract/events.ts';
import { Stretches } from '../../hooks/stretches.ts';
import type { Logger } from '../../log/logger.ts';
import { Blames } from './blames.ts';

/** The log fields that identify a run. */
interface LoggedRun {
  readonly runId: string;
  readonly sessionId: string;
}

/** The signals that a run sends out: events, warnings, errors with their origins, and its waits. */
export class Signs {
  /** Receives the run's events; undefined without a listener. */
  readonly listener: ((event: AgentEvent) => void | Promise<void>) | undefined;
  readonly #log: Logger;
  readonly #run: LoggedRun;
  readonly #errors: ShallotError[] = [];
  /** Created on first use: most runs have no errors, and wait only for their layers. */
  #blames: Blames | undefined;
  #stretches: Stretches | undefined;
  #isOver = false;

  constructor(log: Logger, run: LoggedRun, listener: Signs['listener']) {
    this.#log = log;
    this.#run = run;
    this.listener = listener;
  }

  get blames(): Blames {
    this.#blames ??= new Blames();
    return this.#blames;
  }

  /** Waits other than those for layers. */
  get stretches(): Stretches {
    this.#stretches ??= new Stretches();
    return this.#stretches;
  }

  /** Forgets all waits of a stopped run. */
  forgetWaits(): void {
    this.#stretches?.clear();
  }

  /** Errors that do not affect the outcome. */
  get errors(): readonly ShallotError[] {
    return this.#errors;
  }

  /** Notes an error that does not affect the outcome, and emits it as a warning. */
  report(error: ShallotError): void {
    this.note(error);
    this.warn(error.code, error.message, error.plugin);
  }

  note(error: ShallotError): void {
    this.#errors.push(error);
  }

  /** Writes a warning to the log, and emits it as an event until the run is over. */
  warn(code: string, message: string, plugin?: string): void {
    this.warnInLog({ code, plugin }, message);
    if (!this.#isOver)
      void this.listener?.({ type: 'warning', code, message, ...(plugin === undefined ? {} : { plugin }) });
  }

  warnInLog(fields: object, message: string): void {
    this.#log.warn({ ...this.#run, ...fields }, message);
  }

  /** Reports a long wait. Unlike `warn`, it also emits the event while the end is being committed. */
  notice(message: string, plugin: string | undefined): void {
    const warning = { code: 'STILL_WAITING', ...(plugin === undefined ? {} : { plugin }) };
    this.warnInLog(warning, message);
    void this.listener?.({ type: 'warning', message, ...warning });
  }

  pluginEvent(plugin: string, name: string, data: unknown): void {
    if (this.listener === undefined || this.#isOver) return;
    const json = frozenJson(data, `the event "${name}"`, plugin);
    void this.listener({ type: 'plugin', plugin, name, data: json });
  }

  /** Ends the run's events: later warnings are only logged, and plugin events are dropped. */
  end(): void {
    this.#isOver = true;
  }
}
