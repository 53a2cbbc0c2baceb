import type { RunAgent, SessionSummary } from '../contract/store.ts';
import type { Logger } from '../log/logger.ts';
import type { AgentParts } from '../run/agent-parts.ts';
import { loadHead } from '../sessions/stores/load-head.ts';
import type { WorkOptions } from './work-options.ts';

/** The maximum number of waiting runs that are counted for a report. */
const mostCounted = 1000;

/** Finds the sessions whose runs a worker may take: those of its own agent, and those without an agent. */
export class WorkFinder {
  readonly #store: AgentParts['store'];
  readonly #log: Logger;
  readonly #identity: RunAgent | undefined;
  readonly #options: Pick<WorkOptions, 'versions' | 'filter' | 'accepts'>;
  /** The sessions whose runs were not accepted, with the revision that was read. */
  #declined: ReadonlyMap<string, number> = new Map();
  #isOthersSaid = false;
  #isUnnamedSaid = false;

  constructor(
    { store, log, identity }: Pick<AgentParts, 'store' | 'log' | 'identity'>,
    options: Pick<WorkOptions, 'versions' | 'filter' | 'accepts'>,
  ) {
    this.#store = store;
    this.#log = log;
    this.#identity = identity;
    this.#options = options;
  }

  /** The agent whose runs a queue should name. */
  get agent(): { readonly agent?: string } {
    return this.#identity === undefined ? {} : { agent: this.#identity.id };
  }

  /** True if the store gives different runs to each worker. */
  get takes(): boolean {
    return (
      this.#store.takeResumable !== undefined &&
      this.#identity !== undefined &&
      this.#options.filter?.prefix === undefined &&
      // Runs that are given to this worker are withheld from others for some seconds, even if it does not accept them.
      this.#options.accepts === undefined
    );
  }

  /** Takes up to `count` runs that may be taken now, but none of the sessions `except`. */
  async take(count: number, except: readonly string[]): Promise<readonly SessionSummary[]> {
    const { filter: { prefix: _, ...filter } = {}, versions } = this.#options;
    const { id = '', version = '' } = this.#identity ?? {};
    const taken = await this.#store.takeResumable?.(count, {
      ...filter,
      agent: id,
      ...(versions === 'same' ? { version } : {}),
      except,
    });
    for (const summary of taken ?? [])
      if (summary.agent === undefined && summary.damaged !== true) this.#noteUnnamed(summary);
    await this.#noteOthers();
    return taken ?? [];
  }

  /** Finds the sessions that may be taken now; the longest waiting come first. */
  async *find(): AsyncGenerator<SessionSummary> {
    const agent = this.#identity?.id;
    const filter = { ...this.#options.filter, resumable: true } as const;
    const declined = new Map<string, number>();
    for await (const summary of this.#store.list(agent === undefined ? filter : { ...filter, agent })) {
      if (!this.#fits(summary)) continue;
      if (!(await this.#accepts(summary))) {
        declined.set(summary.id, summary.revision);
        continue;
      }
      if (summary.agent === undefined && summary.damaged !== true) this.#noteUnnamed(summary);
      yield summary;
    }
    this.#declined = declined;
    await this.#noteOthers();
  }

  /** Returns true if a session that a queue named may be taken. */
  async mayTake(sessionId: string): Promise<boolean> {
    const { filter } = this.#options;
    if (filter === undefined) return true;
    for await (const summary of this.#store.list({ ...filter, id: sessionId })) return this.#fits(summary);
    return false;
  }

  /** Returns true if the worker accepts a run. A declined run is not read again until it changes. */
  async #accepts({ id, revision, damaged }: SessionSummary): Promise<boolean> {
    const { accepts } = this.#options;
    if (accepts === undefined || damaged === true) return true;
    if (this.#declined.get(id) === revision) return false;
    const run = (await loadHead(this.#store, id))?.run;
    return run !== undefined && accepts(run);
  }

  #fits({ agent }: SessionSummary): boolean {
    if (agent === undefined) return true;
    if (agent.id !== this.#identity?.id) return false;
    return this.#options.versions !== 'same' || isSame(agent.version, this.#identity.version);
  }

  /** Reports once a run that names no agent, as in old records and in runs that were submitted without one. */
  #noteUnnamed({ id: sessionId }: SessionSummary): void {
    if (this.#isUnnamedSaid || this.#identity === undefined) return;
    this.#isUnnamedSaid = true;
    this.#log.info(
      { sessionId },
      `The run of session "${sessionId}" names no agent. Any worker takes such runs.`,
    );
  }

  /** Reports once which other agents and versions have runs that wait. */
  async #noteOthers(): Promise<void> {
    if (this.#isOthersSaid) return;
    this.#isOthersSaid = true;
    const waiting = new Map<string, number>();
    for await (const summary of this.#store.list({ resumable: true, limit: mostCounted })) {
      const { agent, damaged } = summary;
      if (agent === undefined || damaged === true || this.#fits(summary)) continue;
      const name = agent.version === undefined ? agent.id : `${agent.id}@${agent.version}`;
      waiting.set(name, (waiting.get(name) ?? 0) + 1);
    }
    if (waiting.size === 0) return;
    const counts = Array.from(waiting, ([name, count]) => `${name} (${count})`).join(', ');
    this.#log.info(
      { code: 'WORK_OF_OTHERS' },
      `Runs that wait for other agents are left to their workers: ${counts}.`,
    );
  }
}

/** Any version may execute a run that names none. */
function isSame(version: string | undefined, own: string | undefined): boolean {
  return version === undefined || version === own;
}
