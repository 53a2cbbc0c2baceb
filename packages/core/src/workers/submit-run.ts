import { isShallotError } from '../base/errors.ts';
import { frozenCopy, type JsonObject } from '../base/json.ts';
import { randomId } from '../base/node-crypto.ts';
import type { AnySchema } from '../base/schema.ts';
import type { SessionNotes } from '../contract/agent-options.ts';
import { toMessages, type Input, type Message } from '../contract/messages.ts';
import type { RunSettings } from '../contract/model.ts';
import type { RunRecord, Store } from '../contract/store.ts';
import { noUsage, sumUsage } from '../contract/usage.ts';
import { readOptions } from '../options/option-shape.ts';
import type { AnyOption } from '../options/option.ts';
import { option } from '../options/options-schema.ts';
import { modelSettings, notesOptions } from '../options/plain-options.ts';
import { abandonTree, childrenIn, messagesOfAbandoned } from '../run/abandon-run.ts';
import { refuseUnfinished } from '../run/begin-run.ts';
import { keepEntries, type PassedInput } from '../run/input/pass-input.ts';
import { outputOf } from '../run/model/output.ts';
import { readForSubmit, withSession } from '../run/with-session.ts';
import type { KnownSession } from '../sessions/content/known-session.ts';
import { UniqueIds } from '../sessions/content/unique-ids.ts';
import { LiveSession } from '../sessions/live/live-session.ts';
import { notesOf, refuseChild } from '../sessions/stores/for-owner.ts';
import { loadHead } from '../sessions/stores/load-head.ts';
import { requireName } from './require-name.ts';
import { titleOf } from './title-of.ts';

/** Options of `submitRun`. */
export interface SubmitOptions extends Submitting {
  /**
   * The id of the agent that should execute the run, or its name if it has no id. Optional only if no other process can
   * open the store.
   */
  readonly agent?: string;
  /**
   * Checks or changes the input before it is stored; `agent.submit` uses it for the taps on the input. Without it the
   * input is stored as given, and the executing agent applies those taps.
   */
  readonly prepare?: (messages: readonly Message[]) => Input | Promise<Input>;
}

/** The options of `agent.submit`. */
export interface AgentSubmitOptions<Context = unknown> extends Submitting {
  /** Default: a new session. */
  readonly sessionId?: string;
  /** The context for taps on the input. It is not stored: the worker creates the context of the run. */
  readonly context?: Context;
  /** Aborts taps on the input. */
  readonly signal?: AbortSignal;
}

/** The settings submitted with the input of a run. */
export interface Submitting extends SessionNotes {
  /** Overrides the settings of the executing agent, key by key. */
  readonly settings?: RunSettings;
  /** A schema that the answer must match. Stored as JSON Schema. */
  readonly output?: AnySchema;
  /** Input for the function that creates the run's `context` in the worker. */
  readonly metadata?: JsonObject;
  /**
   * Stores the deltas of the current step for followers in other processes, if the store supports it. Default: false.
   */
  readonly stream?: boolean;
  /** The place in a trace that the run belongs to, as `traceparent` of W3C Trace Context, for telemetry in the worker. */
  readonly traceparent?: string;
  /**
   * True if the beginning of the last user message, as it is stored, becomes the title of a session that has neither a
   * title nor a run: up to 80 characters, and as far as its other notes leave room. Default: false.
   */
  readonly titleFromInput?: boolean;
  /** Abandons an unfinished or interrupted run of the session: its open calls are answered "not executed". */
  readonly abandon?: boolean;
}

const submitOptions = {
  sessionId: option.text('a non-empty string', /[^]/),
  settings: modelSettings,
  output: option.anything(),
  metadata: option.record(option.anything()),
  stream: option.boolean(),
  traceparent: option.text(
    'a traceparent of W3C Trace Context',
    /^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/,
  ),
  titleFromInput: option.boolean(),
  abandon: option.boolean(),
  ...notesOptions,
  agent: option.text('the id of an agent, or its name', /\S/),
  prepare: option.callback<NonNullable<SubmitOptions['prepare']>>(),
} satisfies Record<keyof SubmitOptions | 'sessionId', AnyOption>;

/**
 * Submits a run: commits its input to a session, for a worker to execute. Needs no agent. Returns the run's id. @throws
 * `SESSION_INTERRUPTED`, `SESSION_UNFINISHED`, `STORE_CONFLICT`, `MESSAGE_INVALID`, `OPTION_INVALID`, `AGENT_UNNAMED`,
 * `SESSION_OF_ANOTHER`, `SESSION_IS_CHILD`
 */
export async function submitRun(
  store: Store,
  sessionId: string,
  input: Input,
  options: SubmitOptions = {},
): Promise<string> {
  readOptions('submitRun', submitOptions, { ...options, sessionId });
  const { prepare, agent } = options;
  requireName(store, agent, 'submitRun', 'Pass its id, or its name, as `agent`.');
  const id = randomId('run');
  const newMessageId = messageIds(id);
  const messages = toMessages(input, newMessageId);
  if (prepare === undefined) return commitInput(store, sessionId, { id, agent, messages, kept: [] }, options);
  const prepared = toMessages(await prepare(Object.freeze(messages)), newMessageId);
  const passed = { id, agent, messages: prepared, kept: [], isPrepared: true };
  return commitInput(store, sessionId, passed, options);
}

/** @throws `OPTION_INVALID` */
export function checkSubmitOptions(options: Submitting & { readonly sessionId: string }): void {
  readOptions('agent.submit', submitOptions, options);
}

/** The input of a submitted run, after the taps on the input. */
export interface SubmittedInput extends PassedInput {
  /** The id of the run. */
  readonly id: string;
  readonly agent: string | undefined;
  readonly isPrepared?: boolean;
}

/** Commits the input of a run for a worker to execute. Returns the run's id. */
export function commitInput(
  store: Store,
  sessionId: string,
  { id, agent, messages, kept, isPrepared }: SubmittedInput,
  options: Submitting,
): Promise<string> | string {
  const { settings, metadata, stream, traceparent, abandon } = options;
  const output = outputOf(options.output);
  const newMessageId = messageIds(`${id}.before`);
  const begin = async (known: KnownSession | undefined): Promise<string> => {
    const owned = known && { id: sessionId, about: known.content.about };
    const given = notesOf(owned, options);
    const isUntitled = options.titleFromInput === true && options.title === undefined;
    const title = isUntitled ? titleOf(known, messages, given ?? owned?.about) : undefined;
    const about = title === undefined ? given : notesOf(owned, { ...options, title });
    if (known !== undefined) refuseChild({ id: sessionId, about: known.content.about });
    if (known !== undefined && abandon !== true) refuseUnfinished(known);
    const session = new LiveSession(store, sessionId, known);
    keepEntries(session, kept);
    const ids = new UniqueIds((taken) => session.hasMessage(taken), newMessageId);
    // Generated ids cannot clash.
    const takeId = (message: Message): Message =>
      message.id.startsWith(`${id}.`) ? message : ids.take(message);
    const last = session.lastRun;
    // A record of format 1 has the plugins in its run, which this one replaces.
    if (last?.plugins !== undefined) session.notePlugins(last.plugins);
    const run: RunRecord = {
      id,
      status: 'running',
      ...(agent === undefined ? {} : { agent: { id: agent } }),
      step: 0,
      usage: noUsage,
      usageBefore: last === undefined ? noUsage : sumUsage(last.usageBefore, last.usage),
      startedAt: Date.now(),
      state: {},
      position: { at: 'input', input: messages.map((message) => takeId(message)) },
      interrupts: [],
      answers: {},
      // The schema was checked to be JSON when it was compiled.
      ...(output === undefined ? {} : { output: output.schema as unknown as JsonObject }),
      submitted: {
        isNew: true,
        ...(settings === undefined ? {} : { settings: frozenCopy(settings) }),
        ...(metadata === undefined ? {} : { metadata: frozenCopy(metadata) }),
        ...(stream === true ? { stream } : {}),
        ...(traceparent === undefined ? {} : { traceparent }),
        ...(isPrepared === true ? { prepared: true } : {}),
      },
    };
    const append = last === undefined ? [] : messagesOfAbandoned(session, newMessageId);
    const change = { append, ...session.clearedJournal(), run, claim: null };
    try {
      await session.commit(about === undefined ? change : { ...change, about });
    } catch (error) {
      // A worker has the run already: the answer to the first attempt was lost.
      const mayBeOwn = isShallotError(error, 'STORE_CONFLICT');
      if (!mayBeOwn || (await loadHead(store, sessionId))?.run?.id !== id) throw error;
    }
    for (const child of childrenIn(last)) await abandonTree(store, child);
    return id;
  };
  // Ids that the program chose may clash with those of messages in the session, which then have to be read.
  const hasOwnIds = messages.some((message) => !message.id.startsWith(`${id}.`));
  return withSession(store, sessionId, begin, undefined, hasOwnIds ? undefined : readForSubmit);
}

function messageIds(prefix: string): () => string {
  let count = 0;
  return () => `${prefix}.${(count += 1)}`;
}
