// Replaces `AgentRuns` when workers run the test suite of the hooks: each run of a test is submitted, executed by a
// worker, and followed from its record. The expectations are those for runs in one process.
import { AgentRuns as RunsInProcess } from '../../src/agent-runs.ts';
import { isShallotError } from '../../src/base/errors.ts';
import type { AnySchema, SchemaOutput } from '../../src/base/schema.ts';
import { checkRunOptions } from '../../src/check-options.ts';
import type { ResumeOptions, RunOptions } from '../../src/contract/agent-options.ts';
import type { AgentEvent } from '../../src/contract/events.ts';
import type { Answers } from '../../src/contract/interrupt.ts';
import type { Input } from '../../src/contract/messages.ts';
import type { RunResult } from '../../src/contract/result.ts';
import type { Store } from '../../src/contract/store.ts';
import type { AgentParts } from '../../src/run/agent-parts.ts';
import type { WorkerTerms } from '../../src/run/resume/resume-run.ts';
import { openInterrupts } from '../../src/sessions/content/open-interrupts.ts';
import { dueAt } from '../../src/sessions/stores/due-at.ts';
import { isAnonymous } from '../../src/sessions/stores/forgetful-store.ts';
import { answerInterrupts } from '../../src/workers/answer-interrupts.ts';
import { submitRun } from '../../src/workers/submit-run.ts';
import { Worker } from '../../src/workers/worker.ts';
import { checkFollowed, follow } from './check-followed.ts';

type Listener = (event: AgentEvent) => void | Promise<void>;

/** The runs of an agent, each of which a worker of its own executes. */
export class AgentRuns extends RunsInProcess {
  readonly #parts: AgentParts;
  readonly #submitted = new Set<string>();

  constructor(parts: AgentParts) {
    // Workers need a name, by which they find the runs of their agent.
    const named = { ...parts, identity: parts.identity ?? { id: parts.name } };
    super(named);
    this.#parts = named;
  }

  override async run<Context, S extends AnySchema>(
    given: string,
    options: RunOptions<Context, S>,
    listener: Listener | undefined,
    what: { readonly input: Input } | { readonly answers: Answers; readonly worker?: WorkerTerms },
  ): Promise<RunResult<SchemaOutput<S>>> {
    if (this.#submitted.has(given)) return super.run(given, options, listener, what);
    // An anonymous session is discarded when its run ends, so a follower could miss the end.
    const sessionId = 'input' in what && isAnonymous(given) ? given.replace('anonymous', 'session') : given;
    checkRunOptions(options);
    this.refuseClosed();
    this.#submitted.add(sessionId);
    try {
      if ('input' in what) await this.#submit(sessionId, what.input, options);
      else if (!(await this.#answer(sessionId, what.answers, (options as ResumeOptions).by)))
        return await super.run(sessionId, options, listener, what);
      return await this.#work(sessionId, options, listener);
    } finally {
      this.#submitted.delete(sessionId);
    }
  }

  async #submit(sessionId: string, input: Input, options: RunOptions): Promise<void> {
    const { settings, toolChoice, output, abandon } = options;
    await submitRun(this.#parts.store, sessionId, input, {
      settings: { ...settings, ...(toolChoice === undefined ? {} : { toolChoice }) },
      ...(output === undefined ? {} : { output }),
      ...(abandon === undefined ? {} : { abandon }),
      agent: this.#parts.identity?.id ?? this.#parts.name,
      stream: true,
    });
  }

  /** Stores answers. Returns false if no worker would resume the run then, so that the caller has to resume it. */
  async #answer(sessionId: string, answers: Answers, by: string | undefined): Promise<boolean> {
    const { store } = this.#parts;
    const { run } = (await store.load(sessionId)) ?? {};
    if (run?.status !== 'interrupted' && dueAt(run) === undefined) return false;
    if (openInterrupts(run).some(({ id }) => !Object.hasOwn(answers, id))) return false;
    if (Object.keys(answers).length > 0)
      await answerInterrupts(store, sessionId, answers, by === undefined ? {} : { by });
    return true;
  }

  async #work<S extends AnySchema>(
    sessionId: string,
    options: RunOptions<unknown, S>,
    listener: Listener | undefined,
  ): Promise<RunResult<SchemaOutput<S>>> {
    const { store } = this.#parts;
    const { context, signal } = options;
    const [over, notBegun] = [new AbortController(), new AbortController()];
    const outcome = Promise.withResolvers<RunResult>();
    const events: AgentEvent[] = [];
    const hear = (event: AgentEvent): void => {
      events.push(event);
      void listener?.(event);
    };
    const resume = (id: string, worker: WorkerTerms): Promise<RunResult> => {
      const aborting = signal === undefined ? {} : { signal };
      const run = super.run(id, aborting, undefined, { answers: {}, worker });
      run.then(outcome.resolve, outcome.reject).finally(() => over.abort());
      return run;
    };
    const worker = new Worker(
      { resume, handBack: () => undefined, delete: async () => undefined },
      { ...this.#parts, store: showingOnly(store, sessionId) },
      {
        signal: over.signal,
        // Not shorter, because a test that moves the clock forward by minutes causes a search for each interval.
        intervalMs: 100,
        retryPauseMs: 0,
        context: () => context,
        ...(listener === undefined ? {} : { onEvent: (_: string, event: AgentEvent) => hear(event) }),
      },
    );
    const following = follow(store, sessionId, notBegun.signal);
    const working = worker.work();
    try {
      const result = await outcome.promise;
      checkFollowed(await following, events, result);
      // The caller of `run` has the schema, so the output has its type.
      return result as RunResult<SchemaOutput<S>>;
    } catch (error) {
      const { result } = isShallotError(error) ? error : {};
      if (result !== undefined && dueAt((await store.load(sessionId))?.run) === undefined)
        checkFollowed(await following, events, result);
      // The worker has left the run to others, so it is resumed here without a worker.
      if (isShallotError(error, 'PLUGIN_GONE') && result === undefined)
        return await super.run(sessionId, options, listener, { answers: {} });
      throw error;
    } finally {
      notBegun.abort();
      await Promise.all([working, following]);
    }
  }
}

/** Returns a store that lists only the session of one run, so that its worker takes no other. */
function showingOnly(store: Store, sessionId: string): Store {
  return {
    ...store,
    async *list(filter) {
      for await (const summary of store.list(filter)) if (summary.id === sessionId) yield summary;
    },
  };
}
