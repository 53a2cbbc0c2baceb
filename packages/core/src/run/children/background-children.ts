import { maxTimerMs } from '../../base/in-time.ts';
import { onAbort } from '../../base/on-abort.ts';
import { messageOf } from '../../base/thrown.ts';
import type { Interrupt } from '../../contract/interrupt.ts';
import type { OfferedTool } from '../../contract/store.ts';
import type { Tool } from '../../contract/tool.ts';
import type {
  BackgroundAgents,
  BackgroundChild,
  ChildAgent,
  ChildOptions,
  ChildResult,
} from '../../contract/work/child.ts';
import { Frame } from '../../hooks/frame.ts';
import type { ChildRuns, ChildTerms } from '../child-terms.ts';
import { restoreTools, storeTools } from '../offered-tools.ts';
import type { BegunChild } from '../parts/child-tally.ts';
import { regainClaim } from '../regain-claim.ts';
import type { RunParts } from '../run-parts.ts';
import { closeLeft } from './close-left.ts';
import { refusedAgent, type PartsOf } from './known-parts.ts';
import { ParentCall, type ChildrenBeside } from './parent-call.ts';
import {
  childSession,
  isStopped,
  listenerFor,
  noteFailed,
  outcomeOf,
  refused,
  type CallPlace,
} from './run-child.ts';

/** The time that a run with an answer waits for its children, unless the tool that began them says otherwise. */
const defaultWaitMs = 600_000;

/** The state of a child. `paused`: it stopped with its step or with the run, and continues when the run is resumed. */
type ChildState =
  | { readonly at: 'queued' | 'running' | 'paused' }
  | { readonly at: 'waiting'; readonly interrupts: readonly Interrupt[] }
  | { readonly at: 'ended'; readonly result: ChildResult }
  | { readonly at: 'failed'; readonly error: string };

/** The place in a tool call that begins a child in the background. */
export interface BackgroundPlace {
  readonly call: CallPlace;
  /** The tool of the call. */
  readonly tool: Tool;
  /** Identifies the code within the call that begins the child. */
  readonly place: string;
  /** The ordinal among the children of this place; it is the same when the place is entered again. */
  readonly ordinal: number;
  /** The tools that were offered in the step of the call. */
  readonly offered: readonly Tool[];
}

interface Child {
  readonly id: string;
  readonly begun: BegunChild;
  /** The tools that were offered in the step of its call. */
  readonly offered: readonly Tool[];
  /** Closed to abort the child. */
  readonly frame: Frame;
  /** Settles when the child stops working: it has ended, asks questions or is paused. */
  readonly rest: PromiseWithResolvers<void>;
  state: ChildState;
}

/** The children that work in the background of a run, at most `toolConcurrency` at a time. */
export class BackgroundChildren implements ChildrenBeside {
  readonly runs: ChildRuns;
  readonly partsOf: PartsOf;
  readonly #run: RunParts;
  readonly #children = new Map<string, Child>();
  readonly #queue = new Set<Child>();
  #free: number;
  #isPausing = false;

  constructor(run: RunParts, runs: ChildRuns, partsOf: PartsOf) {
    this.#run = run;
    this.runs = runs;
    this.partsOf = partsOf;
    this.#free = run.terms.parts.toolConcurrency;
  }

  get isPausing(): boolean {
    return this.#isPausing;
  }

  /** The questions of the waiting children, with the call that began each child. */
  get waiting(): readonly { readonly callId: string; readonly interrupts: readonly Interrupt[] }[] {
    return [...this.#children.values()].flatMap(({ begun: { callId }, state }) =>
      state.at === 'waiting' ? [{ callId, interrupts: state.interrupts }] : [],
    );
  }

  /** The children that are over, but whose end the model has not been told of. */
  get over(): readonly BackgroundChild[] {
    return this.list().filter(({ status }) => status === 'ended' || status === 'failed');
  }

  /** Returns the call that began a child; undefined if there is no such child. */
  callOf(childId: string): string | undefined {
    return this.#children.get(childId)?.begun.callId;
  }

  /** Continues the children of a resumed run. */
  resume(): void {
    const { plugins, record, signs } = this.#run;
    const restored = new Map<readonly OfferedTool[], readonly Tool[]>();
    for (const [id, begun] of record.progress.children.background) {
      const offered = restored.get(begun.offered) ?? restoreTools(plugins, signs, begun.offered);
      restored.set(begun.offered, offered);
      this.#add(makeChild(id, begun, offered));
    }
  }

  /**
   * Stores a child and its entry in the run's record before it returns the session: a call that is executed again finds
   * both. @throws `CHILD_REFUSED`
   */
  async begin(
    { call, tool, place, ordinal, offered }: BackgroundPlace,
    options: Omit<ChildOptions, 'output'>,
  ): Promise<string> {
    const { plugins, record } = this.#run;
    const { children } = record.progress;
    const { agent, prompt } = options;
    const callId = call.id;
    const parent = new ParentCall(this.#run, this, callId);
    const { sessionId: id } = childSession(this.#run, parent, { call, place, ordinal }, options);
    if (children.background.has(id)) return id;
    if (tool.background?.agent(agent.name) === undefined)
      throw refusedAgent(agent, `is not known to \`background.agent\` of the tool ${tool.name}`);
    const { step } = parent.call;
    const stored = storeTools(plugins, offered);
    const begun: BegunChild = { callId, step, tool: tool.name, agent: agent.name, offered: stored };
    while (!record.session.isHeld) await regainClaim(this.#run);
    children.begin(id, callId);
    const child = makeChild(id, begun, offered);
    const known = this.#termsOf(child, agent);
    try {
      await this.runs.storeChild({
        ...known,
        session: { id, isKnown: options.sessionId !== undefined },
        task: { ...known.task, input: prompt },
      });
    } catch (error) {
      throw noteFailed(this.#run, known, error);
    }
    children.keep(id, begun);
    await record.session.commit({ run: record.toRecord() });
    this.#add(child);
    return id;
  }

  list(): readonly BackgroundChild[] {
    return Array.from(this.#children.values(), shown);
  }

  async result(id: string, frame: Frame): Promise<BackgroundChild | undefined> {
    const child = this.#children.get(id);
    if (child === undefined) return undefined;
    await frame.wait(child.rest.promise);
    if (isOver(child)) await this.#drop(child);
    return shown(child);
  }

  async cancel(id: string): Promise<boolean> {
    const child = this.#children.get(id);
    if (child === undefined || isOver(child)) return false;
    this.#abort(child, new Error('it was cancelled'));
    await child.rest.promise;
    await this.#drop(child);
    return true;
  }

  /** Closes the children without a result, and forgets all of these children; the next commit includes this. */
  async forget(ids: readonly string[]): Promise<void> {
    const { signs, terms } = this.#run;
    const left = ids.filter((id) => this.#children.get(id)?.state.at !== 'ended');
    if (left.length > 0) await closeLeft(left, terms.parts.store, signs);
    for (const id of ids) {
      this.#children.delete(id);
      this.#run.record.progress.dropChild(id);
    }
  }

  /** Waits until no child works; aborts those that still do after the time limit. */
  async settled(): Promise<void> {
    const children = [...this.#children.values()].filter(isAtWork);
    if (children.length === 0) return;
    const waitMs = Math.max(...children.map((child) => agentsOf(child)?.waitMs ?? defaultWaitMs));
    const late = (): void => {
      const reason = new Error(`it was still running ${waitMs} ms after the run around it had an answer`);
      for (const child of children) if (isAtWork(child)) this.#abort(child, reason);
    };
    const timer = waitMs > maxTimerMs ? undefined : setTimeout(late, waitMs);
    await Promise.all(children.map(({ rest }) => rest.promise));
    clearTimeout(timer);
  }

  /** Lets the children end after their current step, and waits for that. At the end of the run, forgets them. */
  async pause(): Promise<void> {
    this.#isPausing = true;
    for (const child of this.#queue) this.#rest(child, { at: 'paused' });
    await this.settled();
    if (this.#run.record.progress.position.at === 'end') await this.forget([...this.#children.keys()]);
  }

  #add(child: Child): void {
    this.#children.set(child.id, child);
    this.#queue.add(child);
    this.#next();
  }

  #next(): void {
    for (const child of this.#queue) {
      if (this.#free === 0) return;
      this.#free -= 1;
      this.#queue.delete(child);
      void this.#work(child);
    }
  }

  /** Runs a child until it rests. Never rejects. */
  async #work(child: Child): Promise<void> {
    child.state = { at: 'running' };
    const forget = onAbort(this.#run.life.signal, (reason) => child.frame.close(reason));
    const state = await this.#execute(child);
    forget();
    this.#free += 1;
    this.#rest(child, state);
    this.#next();
  }

  async #execute(child: Child): Promise<ChildState> {
    let terms: ChildTerms;
    try {
      terms = this.#termsOf(child, definitionOf(child));
    } catch (error) {
      return { at: 'failed', error: messageOf(error) };
    }
    try {
      const outcome = await outcomeOf(terms, await this.runs.runChild(terms));
      if ('waiting' in outcome) return { at: 'waiting', interrupts: outcome.waiting };
      return { at: 'ended', result: outcome.result };
    } catch (thrown) {
      const failed = noteFailed(this.#run, terms, thrown);
      const isPaused = this.#run.life.stopped !== undefined || isStopped(failed, terms);
      return isPaused ? { at: 'paused' } : { at: 'failed', error: failed.message };
    }
  }

  /** Aborts a child that is running or queued. */
  #abort(child: Child, reason: Error): void {
    if (child.state.at === 'running') child.frame.close(reason);
    else this.#rest(child, { at: 'failed', error: reason.message });
  }

  #rest(child: Child, state: ChildState): void {
    this.#queue.delete(child);
    child.state = state;
    child.rest.resolve();
  }

  async #drop({ id }: Child): Promise<void> {
    const { record } = this.#run;
    await this.forget([id]);
    await record.session.commit({ run: record.toRecord() });
  }

  #termsOf({ begun, frame, id, offered }: Child, agent: ChildAgent): ChildTerms {
    const { callId, step } = begun;
    const { record, terms } = this.#run;
    const parent = new ParentCall(this.#run, this, callId, step);
    return {
      parts: this.partsOf(agent, offered),
      session: { id, isKnown: true },
      // The session already contains the input.
      task: { input: [], output: agent.output, context: terms.context },
      caller: { listener: listenerFor(this.#run, parent.call, id, agent.name), frame },
      parent,
      given: record.questions.given,
    };
  }
}

function makeChild(id: string, begun: BegunChild, offered: readonly Tool[]): Child {
  const rest = Promise.withResolvers<void>();
  return { id, begun, offered, frame: new Frame(), rest, state: { at: 'queued' } };
}

/** Returns the agents of the tool that began a child; undefined if it is gone. */
function agentsOf({ begun, offered }: Child): BackgroundAgents | undefined {
  return offered.find(({ name }) => name === begun.tool)?.background;
}

/** @throws `CHILD_REFUSED` */
function definitionOf(child: Child): ChildAgent {
  const { agent } = child.begun;
  const definition = agentsOf(child)?.agent(agent);
  if (definition === undefined) throw refused(agent, 'its definition is gone');
  return definition;
}

function isOver({ state }: Child): boolean {
  return state.at === 'ended' || state.at === 'failed';
}

function isAtWork({ state }: Child): boolean {
  return state.at === 'queued' || state.at === 'running';
}

/** Returns a child as tools see it. */
function shown({ id, begun: { agent }, state }: Child): BackgroundChild {
  const child = { sessionId: id, agent };
  if (state.at === 'ended') return { ...child, status: 'ended', result: state.result };
  if (state.at === 'failed') return { ...child, status: 'failed', error: state.error };
  return { ...child, status: state.at === 'waiting' ? 'waiting' : 'running' };
}
