import { isShallotError, ShallotError } from '../../base/errors.ts';
import { handled } from '../../base/handled.ts';
import { isPromise } from '../../base/is-promise.ts';
import { freezeJson, type JsonValue } from '../../base/json.ts';
import { asThrown, messageOf } from '../../base/thrown.ts';
import { isInterrupt } from '../../contract/interrupt-signal.ts';
import type { RunInfo } from '../../contract/run-info.ts';
import type { JournalEntry, JournalledCall } from '../../contract/store.ts';
import { errorResult, storedResult, toToolResult } from '../../contract/tool-result.ts';
import type { Tool, ToolCall, ToolContext, ToolOutput, ToolResult } from '../../contract/tool.ts';
import type { Frame } from '../../hooks/frame.ts';
import type { Owner } from '../../hooks/owner.ts';
import { asPlugin } from '../../hooks/plugin-context.ts';
import type { Sink } from '../../hooks/sink.ts';
import { journalEntry } from '../../sessions/journal-change.ts';
import type { ActiveRun } from '../active-run.ts';
import { digestOf } from '../ask.ts';
import { actsAs } from '../offered-tools.ts';
import { regainClaim } from '../regain-claim.ts';
import { RunView } from '../run-view.ts';
import { isSameCall, type CheckedCall } from './check-call.ts';
import { journalledFailure } from './journalled-failure.ts';
import type { ToolPassage } from './tool-passage.ts';

/** One execution: where it is journalled, what the layers asked for, and what the gates let through. */
export interface Execution {
  readonly key: string;
  /** Its ordinal among the executions of the call. */
  readonly pass: number;
  readonly asked: ToolCall;
  readonly approved: CheckedCall;
  readonly frame: Frame;
  readonly sink: Sink<JsonValue> | undefined;
}

/** Executes a call, once: the intent is committed before. A failing tool is a result, which is kept with `keep`. */
export async function executeTool(
  passage: ToolPassage,
  execution: Execution,
  keep?: typeof keepResult,
): Promise<ToolResult> {
  const { run } = passage;
  const { frame, key, approved } = execution;
  if (frame.closed) throw frame.reason;
  if (run.session.isClaimLapsed) await regainClaim(run, frame);
  // A repeated read or idempotent call does no harm: only writes need to be known to have begun.
  if (approved.tool.effect === 'write') {
    const id = run.newExecutionId();
    const intent: JournalEntry = { type: 'intent', id, ...journalledCalls(passage, execution) };
    const committed = run.session.commit({ journal: journalEntry(key, intent), run: run.toRecord() });
    if (committed !== undefined) {
      await committed;
      if (frame.closed) throw frame.reason;
      if (run.session.isClaimLapsed) await regainClaim(run, frame);
    }
  }
  let result: ToolResult;
  try {
    const returned = callTool(passage, execution);
    const output = isGenerator(returned)
      ? await drain(returned, execution.sink, frame)
      : isPromise(returned)
        ? await returned
        : returned;
    result = toToolResult(output, approved.tool.name);
  } catch (error) {
    result = await failedResult(passage, execution, error);
  }
  if (frame.closed) throw frame.reason;
  keep?.(passage, execution, result);
  return result;
}

/** Calls the tool itself. */
function callTool(passage: ToolPassage, execution: Execution): ReturnType<Tool['execute']> {
  const { tool, args } = execution.approved;
  const context = new ExecutionContext(passage, execution);
  const execute = asPlugin(
    () => pluginOf(passage.run, tool),
    () => tool.execute(args, context),
  );
  return execute();
}

/** What a tool threw is a result, unless it has asked a question. */
async function failedResult(
  passage: ToolPassage,
  { key, frame, approved }: Execution,
  error: unknown,
): Promise<ToolResult> {
  try {
    passage.throwIfOpen();
  } catch (signal) {
    await withdrawIntent(passage, key, signal);
    throw signal;
  }
  if (frame.closed) throw error;
  const text = isShallotError(error) ? `${error.code}: ${error.message}` : messageOf(error);
  return errorResult(`The tool ${approved.tool.name} failed: ${text}`, asThrown(error));
}

/** Keeps what came of an execution, as the gates let it out: for layers that are entered again. */
export function keepResult(passage: ToolPassage, execution: Execution, result: ToolResult): void {
  passage.noteExecuted(result);
  const { session } = passage.run;
  session.commitSoon({ journal: journalEntry(execution.key, rawEntry(passage, execution, result)) });
}

/**
 * Keeps what came of an execution while the gates decide about it. It goes out with the next commit, so that a question
 * about a result is never on record without the result.
 */
export function holdResult(passage: ToolPassage, execution: Execution, result: ToolResult): void {
  const entry = { ...rawEntry(passage, execution, result), held: true as const };
  passage.run.session.hold({ journal: journalEntry(execution.key, entry) });
}

function rawEntry(
  passage: ToolPassage,
  execution: Execution,
  result: ToolResult,
): JournalEntry & { type: 'raw' } {
  const entry = {
    type: 'raw' as const,
    ...journalledCalls(passage, execution),
    result: storedResult(result),
  };
  return 'error' in result ? { ...entry, failed: journalledFailure(result.error) } : entry;
}

function journalledCalls(
  { call }: ToolPassage,
  { asked, approved }: Execution,
): { readonly asked?: JournalledCall; readonly done?: JournalledCall } {
  const done = approved.call;
  if (asked === call && done === call) return unchanged;
  return {
    ...(isSameCall(asked, call) ? {} : { asked: { name: asked.name, input: asked.input } }),
    ...(isSameCall(done, asked) ? {} : { done: { name: done.name, input: done.input } }),
  };
}

const unchanged = Object.freeze({});

/** A question takes the place of the intent, unless it was not opened because the run is being ended. */
async function withdrawIntent({ run }: ToolPassage, key: string, signal: unknown): Promise<void> {
  if (isInterrupt(signal) && run.session.journalled(key) !== undefined)
    await run.session.commit({ journal: journalEntry(key, null) });
}

/** The plugin that brought a tool, if one did. */
function pluginOf(run: ActiveRun, tool: Tool): string | undefined {
  const owner = actsAs(run, tool);
  return owner === run.parts.toolOwner ? undefined : owner.id;
}

function isGenerator(value: unknown): value is AsyncGenerator<JsonValue, ToolOutput, void> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value && 'next' in value;
}

async function drain(
  generator: AsyncGenerator<JsonValue, ToolOutput, void>,
  sink: Sink<JsonValue> | undefined,
  frame: Frame,
): Promise<ToolOutput> {
  for (;;) {
    const step = await generator.next();
    if (step.done === true) return step.value;
    if (frame.closed) {
      await generator.return(undefined);
      throw frame.reason;
    }
    freezeJson(step.value, 'the value yielded by a tool');
    await sink?.push(step.value);
  }
}

/** What a tool gets beside its arguments. The dearer parts are made when they are asked for. */
class ExecutionContext implements ToolContext {
  readonly call: ToolCall;
  readonly #tool: Tool;
  readonly #passage: ToolPassage;
  readonly #pass: number;
  readonly #key: string;
  readonly #frame: Frame;
  readonly #sink: Sink<JsonValue> | undefined;

  constructor(passage: ToolPassage, { approved, pass, key, frame, sink }: Execution) {
    this.call = approved.call;
    this.#tool = approved.tool;
    this.#passage = passage;
    this.#pass = pass;
    this.#key = key;
    this.#frame = frame;
    this.#sink = sink;
  }

  get run(): RunInfo {
    return RunView.of(this.#passage.run, this.#owner);
  }

  get signal(): AbortSignal {
    return this.#frame.signal;
  }

  get log(): ToolContext['log'] {
    return this.run.log.child({ tool: this.call.name, callId: this.call.id });
  }

  get files(): ToolContext['files'] {
    return this.run.files;
  }

  get idempotencyKey(): string {
    return digestOf([this.run.sessionId, this.call.id, this.call.name, this.call.input]);
  }

  // What follows is often taken out of the object: each getter gives a function that needs no `this`.

  get progress(): ToolContext['progress'] {
    return (data) => {
      if (this.#frame.closed || this.#frame.settled) return undefined;
      freezeJson(data, `the progress of the tool ${this.call.name}`);
      return this.#sink?.push(data);
    };
  }

  get interrupt(): ToolContext['interrupt'] {
    return (request) => {
      const over = this.#over();
      return over ?? this.#passage.askFor('tool', `tool/${this.#pass}`, this.call, request, this.#key);
    };
  }

  get once(): ToolContext['once'] {
    return (key, fn) => this.#over() ?? this.#passage.onceFor(`tool:${this.#pass}`, 'tool', key, fn);
  }

  /** The refusal of what a tool asks for after it has settled, or was given up. */
  #over(): Promise<never> | undefined {
    const { closed, settled, reason } = this.#frame;
    if (!closed && !settled) return undefined;
    const late = `The tool ${this.call.name} continued after it had settled. Await everything it starts.`;
    return handled(Promise.reject(closed ? reason : new ShallotError('LAYER_CLOSED', { message: late })));
  }

  get #owner(): Owner {
    return actsAs(this.#passage.run, this.#tool);
  }
}
