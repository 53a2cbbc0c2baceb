import { frozenCopy, type JsonObject } from '../base/json.ts';
import { randomId } from '../base/node-crypto.ts';
import type { AnySchema } from '../base/schema.ts';
import { toMessages, type Input } from '../contract/messages.ts';
import type { RunSettings } from '../contract/model.ts';
import type { RunRecord, Store } from '../contract/store.ts';
import { noUsage, sumUsage } from '../contract/usage.ts';
import { readOptions } from '../options/option-shape.ts';
import type { AnyOption } from '../options/option.ts';
import { option } from '../options/options-schema.ts';
import { modelSettings } from '../options/plain-options.ts';
import { refuseUnfinished } from '../run/begin-run.ts';
import { leftovers } from '../run/give-up.ts';
import { outputOf } from '../run/model/output.ts';
import { withSession } from '../run/with-session.ts';
import { LiveSession } from '../sessions/live-session.ts';

export interface SubmitOptions {
  /** Over the settings of the agent that executes the run, key by key. */
  readonly settings?: RunSettings;
  /** A schema that the answer must match. Stored as JSON Schema. */
  readonly output?: AnySchema;
  /** For the function that makes the run's `context` in the worker. */
  readonly metadata?: JsonObject;
  /** Stores the deltas of the current step for followers in other processes, where the store can. Default: false. */
  readonly stream?: boolean;
  /** Abandons an unfinished or interrupted run of the session: its open calls are answered "not executed". */
  readonly abandon?: boolean;
}

const submitOptions = {
  sessionId: option.text('a non-empty string', /[^]/),
  settings: modelSettings,
  output: option.anything(),
  metadata: option.record(option.anything()),
  stream: option.boolean(),
  abandon: option.boolean(),
} satisfies Record<keyof SubmitOptions | 'sessionId', AnyOption>;

/**
 * Submits a run: commits its input to a session, for a worker to execute. Needs no agent. Returns the run's id.
 * @throws `SESSION_INTERRUPTED`, `SESSION_UNFINISHED`, `STORE_CONFLICT`, `MESSAGE_INVALID`, `OPTION_INVALID`
 */
export async function submitRun(
  store: Store,
  sessionId: string,
  input: Input,
  options: SubmitOptions = {},
): Promise<string> {
  readOptions('submitRun', submitOptions, { ...options, sessionId });
  const { settings, metadata, stream, abandon } = options;
  const output = outputOf(options.output);
  const id = randomId('run');
  let count = 0;
  const newMessageId = (): string => `${id}.${(count += 1)}`;
  const messages = toMessages(input, newMessageId);
  return withSession(store, sessionId, async (known) => {
    if (abandon !== true) refuseUnfinished(known);
    const session = new LiveSession(store, sessionId, known);
    const last = known?.run;
    const run: RunRecord = {
      id,
      status: 'running',
      step: 0,
      usage: noUsage,
      usageBefore: last === undefined ? noUsage : sumUsage(last.usageBefore, last.usage),
      startedAt: Date.now(),
      state: {},
      plugins: {},
      position: { at: 'input', input: messages },
      interrupts: [],
      answers: {},
      // The schema was checked to be JSON when it was made.
      ...(output === undefined ? {} : { output: output.schema as unknown as JsonObject }),
      submitted: {
        isNew: true,
        ...(settings === undefined ? {} : { settings: frozenCopy(settings) }),
        ...(metadata === undefined ? {} : { metadata: frozenCopy(metadata) }),
        ...(stream === true ? { stream } : {}),
      },
    };
    const append = last === undefined ? [] : leftovers(session, newMessageId);
    await session.commit({ append, ...session.clearedJournal(), run, claim: null });
    return id;
  });
}
