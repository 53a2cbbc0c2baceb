// The hooks around the model, as docs/reference/hooks.md describes them: one function per hook.
import { isNote, note, noteText, type OracleSession, type PlainCall, type PlainMessage } from './session.ts';
import { actsAt, answerText, tapsOf, type Place, type World } from './world.ts';

/** An answer of the model on its way outwards. */
export interface PlainAnswer {
  readonly text: string;
  readonly calls: readonly PlainCall[];
  /** The history that a layer has stored together with the answer. */
  readonly history?: readonly PlainMessage[];
}

/**
 * The taps run "outside in", and the input that they set is kept. Each call of `setInput` extends the input before it.
 */
export function beforeAgent(
  world: World,
  session: OracleSession,
  run: number,
  input: string,
): PlainMessage[] {
  const messages = [note(input)];
  for (const { plugin, tap } of tapsOf(world, 'beforeAgent')) {
    for (const { what, id } of actsAt(tap, { run, step: 0 })) {
      if (what === 'append') messages.push(note(noteText(id)));
      if (what === 'end' || what === 'limit') session.end(noteText(id), what);
      if (what === 'count') session.count(plugin.name);
    }
  }
  return messages;
}

/** The taps run "outside in"; `request.messages` become the session's. After `end`, "the rest of the pipeline runs". */
export function beforeModel(world: World, session: OracleSession, place: Place): void {
  let { messages } = session;
  for (const { plugin, tap } of tapsOf(world, 'beforeModel')) {
    let changed = messages;
    for (const { what, id } of actsAt(tap, place)) {
      if (what === 'append') changed = changed.concat(note(noteText(id)));
      if (what === 'drop') changed = withoutFirstNote(changed);
      if (what === 'end' || what === 'limit') session.end(noteText(id), what);
      if (what === 'count') session.count(plugin.name);
      if (what === 'ask' && session.ask(id) === 'pointless') {
        // The question abandons the tap; the remaining taps receive the value that it received.
        changed = messages;
        break;
      }
    }
    messages = changed;
  }
  session.messages = messages;
}

function withoutFirstNote(messages: readonly PlainMessage[]): PlainMessage[] {
  const first = messages.findIndex(isNote);
  return messages.filter((_, index) => index !== first);
}

/**
 * The layers run "outside in, then back out". `ask` stands for the model: each entry of the innermost layer calls it
 * once. Undefined if the model was never asked, because the run had been ended and was then disturbed.
 */
export function wrapModelCall(
  world: World,
  session: OracleSession,
  place: Place,
  ask: () => PlainAnswer | undefined,
): PlainAnswer | undefined {
  const layers = tapsOf(world, 'wrapModelCall');
  let history: readonly PlainMessage[] | undefined;
  /** Enters a layer, or the model behind the last layer. `once` counts again for each entry. */
  const enter = (depth: number, messages: readonly PlainMessage[]): PlainAnswer | undefined => {
    const layer = layers[depth];
    if (layer === undefined) return ask();
    const acts = actsAt(layer.tap, place);
    let sent = messages;
    let skipped: PlainAnswer | undefined;
    for (const { what, id } of acts.filter(({ isLate }) => !isLate)) {
      if (what === 'append') {
        sent = sent.concat(note(noteText(id)));
        history = sent;
      }
      if (what === 'end' || what === 'limit') session.end(noteText(id), what);
      if (what === 'count') session.count(layer.plugin.name);
      if (what === 'skip') skipped = { text: answerText(place, 'skipped'), calls: [] };
    }
    if (skipped === undefined && acts.some(({ what }) => what === 'retry')) enter(depth + 1, sent);
    let answer = skipped ?? enter(depth + 1, sent);
    for (const { what, id } of acts.filter(({ isLate }) => isLate)) {
      if (what === 'append' && answer !== undefined) answer = withText(answer, noteText(id));
      if (what === 'end' || what === 'limit') session.end(noteText(id), what);
      if (what === 'count') session.count(layer.plugin.name);
    }
    return answer;
  };
  const answer = enter(0, session.messages);
  return answer === undefined || history === undefined ? answer : { ...answer, history };
}

function withText(answer: PlainAnswer, text: string): PlainAnswer {
  return { ...answer, text: `${answer.text}${text}` };
}

/** The taps run "inside out", and the response is kept. The messages of all calls of `again` are added. */
export function afterModel(
  world: World,
  session: OracleSession,
  place: Place,
  given: PlainAnswer,
): { readonly answer: PlainAnswer; readonly more: readonly PlainMessage[] | undefined } {
  let answer = given;
  let more: PlainMessage[] | undefined;
  for (const { plugin, tap } of tapsOf(world, 'afterModel').toReversed()) {
    let changed = answer;
    for (const { what, id } of actsAt(tap, place)) {
      if (what === 'append') changed = withText(changed, noteText(id));
      if (what === 'end' || what === 'limit') session.end(noteText(id), what);
      if (what === 'again') more = [...(more ?? []), note(noteText(id))];
      if (what === 'count') session.count(plugin.name);
      if (what === 'ask' && session.ask(id) === 'pointless') {
        changed = answer;
        break;
      }
    }
    answer = changed;
  }
  return { answer, more };
}

/** The taps "run for every plugin, even if something threw". The oracle calls this for completed runs only. */
export function afterAgent(world: World, session: OracleSession, run: number): void {
  for (const { plugin, tap } of tapsOf(world, 'afterAgent').toReversed()) {
    for (const { what } of actsAt(tap, { run, step: 0 })) {
      if (what === 'count') session.count(plugin.name);
      // The error is only listed: the outcome stays, and the rest of this tap does not run.
      if (what === 'throw' || what === 'reject') break;
    }
  }
}
