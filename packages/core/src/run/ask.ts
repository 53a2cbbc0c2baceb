import { digestOf } from '../base/digest-of.ts';
import { ShallotError } from '../base/errors.ts';
import type { JsonValue } from '../base/json.ts';
import { frozenJson } from '../base/json/frozen-json.ts';
import { jsonSchemaOf, validatorOf, type Schema, type SchemaOutput } from '../base/schema.ts';
import { InterruptSignal } from '../contract/interrupt-signal.ts';
import type { Interrupt, InterruptedCall, InterruptRequest } from '../contract/interrupt.ts';
import type { ToolDisplay } from '../contract/tool-display.ts';
import { journalEntry } from '../sessions/content/change-draft.ts';
import { addressOf, callAddressOf } from './address-of.ts';
import { hidden, restored } from './input/hidden.ts';
import type { Signs } from './parts/signs.ts';
import type { PluginsInRun } from './plugins-in-run.ts';
import type { RecordWriter } from './record-writer.ts';
import { regainClaim } from './regain-claim.ts';
import type { RunParts } from './run-parts.ts';

/** Data about a call for clients. */
export type CallDisplay = ToolDisplay & Pick<InterruptedCall, 'inputSchema'>;

/** The plugin that asks a question, and the place in the run where it asks. */
export interface Asker {
  readonly plugin: string;
  /** Identifies the place within the run, as JSON. It must be equal each time the run reaches the place. */
  readonly place: unknown;
  /** The tool call that waits for the answer; undefined for a question from a before or after hook. */
  readonly call: Interrupt['call'];
  /**
   * Returns data about the call for clients. It is not part of the interrupt id, since it may change while the question
   * is open.
   */
  readonly display?: () => CallDisplay | undefined | Promise<CallDisplay | undefined>;
  /**
   * The journal key of the tool's intent. The question replaces the intent, because the tool is executed again after
   * the answer.
   */
  readonly intent?: string;
  /** Counts equal questions since the run reached this place. The count keeps their ids apart. */
  readonly asked: Map<string, number>;
}

/**
 * Returns the answer to a question, or commits the question and throws the signal that unwinds to the core. The id is a
 * digest of the question and its place: a changed question gets a new id, which voids the old answer. Other questions
 * do not affect the id, since `once` may have skipped some of them after a resume.
 */
export async function ask<S extends Schema>(
  run: RunParts,
  asker: Asker,
  request: InterruptRequest<S>,
): Promise<SchemaOutput<S>> {
  const { kind, answer } = request;
  const payload = frozenJson(request.payload, `the payload of the interrupt "${kind}"`, asker.plugin);
  const answerSchema = jsonSchemaOf(answer, `the answer to the interrupt "${kind}"`, 'OPTION_INVALID');
  const question = digestOf([
    run.terms.id,
    run.record.progress.step,
    asker.plugin,
    asker.place,
    asker.call ?? null,
    kind,
    payload,
  ]);
  const ordinal = asker.asked.get(question) ?? 0;
  asker.asked.set(question, ordinal + 1);
  // The claim may have lapsed during the wait for an answer. No work may begin without it.
  while (!run.record.session.isHeld) await regainClaim(run);
  const id = `int_${ordinal === 0 ? question : digestOf([question, ordinal])}`;
  const given = run.record.questions.answerTo(id);
  if (given !== undefined) {
    const checked = await validatorOf(answer)(restored(run.plugins, given));
    // The validator of a schema returns the output type of that schema.
    if (checked.ok) return checked.value as SchemaOutput<S>;
    run.record.questions.refuseAnswer(id);
    const message = `The answer to ${id} was rejected; the question is open again: ${checked.issues}`;
    const { plugin } = asker;
    run.signs.report(new ShallotError('INTERRUPT_ANSWER', { message, plugin }));
  }
  const before = run.record.questions.before(id);
  const display = before === undefined ? await asker.display?.() : undefined;
  const details =
    request.details === undefined
      ? undefined
      : frozenJson(request.details, `the details of the interrupt "${kind}"`, asker.plugin);
  const interrupt: Interrupt =
    before ??
    Object.freeze({
      id,
      kind,
      plugin: asker.plugin,
      address:
        asker.call === undefined
          ? addressOf(run.terms, run.record)
          : callAddressOf(run.terms, run.record, asker.call.id),
      ...shown(run.plugins, asker.call === undefined ? undefined : { ...asker.call, ...display }, payload),
      ...(details === undefined ? {} : { details: hidden(run.plugins, details) }),
      answerSchema,
      createdAt: new Date().toISOString(),
    });
  // After `end`, the answer would no longer matter, so the question is not stored.
  if (run.record.verdict.ending === undefined) await open(run, [interrupt], asker.intent);
  throw new InterruptSignal(interrupt);
}

/** Returns the members of a question that may contain values to redact, redacted. */
function shown(
  plugins: PluginsInRun,
  call: Interrupt['call'],
  payload: JsonValue,
): Pick<Interrupt, 'call' | 'payload'> {
  if (call === undefined) return { payload: hidden(plugins, payload) };
  const { id, name, ...rest } = call;
  return { call: { id, name, ...hidden(plugins, rest) }, payload: hidden(plugins, payload) };
}

/**
 * Opens the questions of a child run as questions of the call that began it, with the same ids and with the path to the
 * child. Forgets answers that the child refused. Returns the first question; undefined if there is none.
 */
export async function openUnder(
  run: RunParts,
  callId: string,
  waiting: readonly Interrupt[],
  intent: string | undefined,
): Promise<Interrupt | undefined> {
  const asked = waiting.map((interrupt) =>
    Object.freeze({ ...interrupt, under: Object.freeze([callId, ...(interrupt.under ?? [])]) }),
  );
  for (const { id } of asked) run.record.questions.refuseAnswer(id);
  if (run.record.verdict.ending === undefined) await open(run, asked, intent);
  return asked[0];
}

/** Commits questions before their events are emitted. Deletes the tool's intent in the same commit, if there is one. */
async function open(
  run: RunParts,
  interrupts: readonly Interrupt[],
  intent: string | undefined,
): Promise<void> {
  const { session, progress, questions } = run.record;
  run.life.throwIfStopped();
  const added = interrupts.filter((interrupt) => {
    run.life.throwIfOver(interrupt.plugin, 'interrupt');
    return questions.add(interrupt, session.lastTurn()[0]);
  });
  if (added.length === 0) return;
  progress.moveTo(run.life.hook.position ?? progress.position);
  const journal = intent === undefined ? {} : { journal: journalEntry(intent, null) };
  await session.commit({ ...journal, run: run.record.toRecord() });
  for (const interrupt of added) void run.signs.listener?.({ type: 'interrupt', interrupt });
}

/**
 * Returns the interrupt that a resumed call, or without `callId` the resumed hook, still waits for; undefined if there
 * is none. Its questions stay stored as they are, and their events are emitted again.
 */
export function unanswered(record: RecordWriter, signs: Signs, callId?: string): InterruptSignal | undefined {
  const asked = record.questions.unanswered(callId);
  if (asked.length === 0) return undefined;
  for (const interrupt of asked) {
    record.questions.add(interrupt, record.session.lastTurn()[0]);
    void signs.listener?.({ type: 'interrupt', interrupt });
  }
  return new InterruptSignal(asked[0] as Interrupt);
}
