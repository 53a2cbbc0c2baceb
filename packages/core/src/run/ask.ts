import { ShallotError } from '../base/errors.ts';
import { canonicalJson, freezeJson } from '../base/json.ts';
import { nodeCrypto } from '../base/node-crypto.ts';
import { jsonSchemaOf, validatorOf, type Schema, type SchemaOutput } from '../base/schema.ts';
import { InterruptSignal } from '../contract/interrupt-signal.ts';
import type { Interrupt, InterruptRequest } from '../contract/interrupt.ts';
import type { ToolDisplay } from '../contract/tool-display.ts';
import { journalEntry } from '../sessions/journal-change.ts';
import type { ActiveRun } from './active-run.ts';

/** Who asks, and where. */
export interface Asker {
  readonly plugin: string;
  /** What tells this question from the others of the run: JSON, the same whenever the place is reached again. */
  readonly place: unknown;
  /** The tool call that waits, if it is one. */
  readonly call: Interrupt['call'];
  /** What else clients are told of the call. It is no part of the question: it may change while nobody answers. */
  readonly display?: () => ToolDisplay | undefined | Promise<ToolDisplay>;
  /** The key of a journalled intent: of an execution that asks it is no riddle that it has begun, since it will begin again. */
  readonly intent?: string;
  /** How often each question has been asked since the place was reached: only equal ones need to be told apart. */
  readonly asked: Map<string, number>;
}

/**
 * Gives the answer to a question, or puts the question on record and throws the signal that unwinds to the core. The id
 * is made of what is asked and where, so a question that has changed is a new one, and the old answer is void; and it does
 * not hang on which other questions were asked before, some of which `once` may have settled.
 */
export async function ask<S extends Schema>(
  run: ActiveRun,
  asker: Asker,
  request: InterruptRequest<S>,
): Promise<SchemaOutput<S>> {
  const { kind, payload, answer } = request;
  freezeJson(payload, `the payload of the interrupt "${kind}"`, asker.plugin);
  const answerSchema = jsonSchemaOf(answer, `the answer to the interrupt "${kind}"`, 'OPTION_INVALID');
  const question = digestOf([
    run.id,
    run.progress.step,
    asker.plugin,
    asker.place,
    asker.call ?? null,
    kind,
    payload,
  ]);
  const ordinal = asker.asked.get(question) ?? 0;
  asker.asked.set(question, ordinal + 1);
  const id = `int_${ordinal === 0 ? question : digestOf([question, ordinal])}`;
  const given = run.questions.answerTo(id);
  if (given !== undefined) {
    const checked = await validatorOf(answer)(given);
    // The schema's own output type is what its validation gives.
    if (checked.ok) return checked.value as SchemaOutput<S>;
    run.questions.refuseAnswer(id);
    const message = `The answer to ${id} was rejected; the question is open again: ${checked.issues}`;
    const { plugin } = asker;
    run.report(new ShallotError('INTERRUPT_ANSWER', { message, plugin }));
  }
  const before = run.questions.before(id);
  const display = before === undefined ? await asker.display?.() : undefined;
  const interrupt: Interrupt =
    before ??
    Object.freeze({
      id,
      kind,
      plugin: asker.plugin,
      ...(asker.call === undefined ? {} : { call: { ...asker.call, ...display } }),
      payload,
      answerSchema,
      createdAt: new Date().toISOString(),
    });
  // Nobody is asked about what `end` has made pointless.
  if (run.verdict.ending === undefined) await open(run, interrupt, asker.intent);
  throw new InterruptSignal(interrupt);
}

/** Puts a question on record: committed before anybody hears of it, and in the place of an intent, if there is one. */
async function open(run: ActiveRun, interrupt: Interrupt, intent: string | undefined): Promise<void> {
  const { session, progress, questions } = run;
  run.life.throwIfStopped();
  run.refuseOver(interrupt.plugin, 'interrupt');
  if (!questions.add(interrupt, session.lastTurn()[0])) return;
  progress.moveTo(run.current.position ?? progress.position);
  const journal = intent === undefined ? {} : { journal: journalEntry(intent, null) };
  await session.commit({ ...journal, run: run.toRecord() });
  void run.listener?.({ type: 'interrupt', interrupt });
}

/**
 * The interrupt that a call, or without one the hook that asked, still waits for: it was asked before the run was taken
 * up, and has no answer. Such questions stay as they are on record, and are announced again.
 */
export function unanswered(run: ActiveRun, callId?: string): InterruptSignal | undefined {
  const asked = run.questions.unanswered(callId);
  if (asked.length === 0) return undefined;
  for (const interrupt of asked) {
    run.questions.add(interrupt, run.session.lastTurn()[0]);
    void run.listener?.({ type: 'interrupt', interrupt });
  }
  return new InterruptSignal(asked[0] as Interrupt);
}

/** 128 bits of SHA-256 over canonical JSON, in base64url. */
export function digestOf(value: unknown): string {
  return nodeCrypto()
    .createHash('sha256')
    .update(canonicalJson(value))
    .digest()
    .subarray(0, 16)
    .toString('base64url');
}
