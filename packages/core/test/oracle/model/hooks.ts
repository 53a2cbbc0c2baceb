// The hooks around the model, as docs/reference/hooks.md describes them: one function per hook.
import { isNote, note, noteText, type OracleSession, type PlainCall, type PlainMessage } from './session.ts';
import { actsAt, answerText, tapsOf, type Place, type World } from './world.ts';

/** An answer of the model on its way out. */
export interface PlainAnswer {
  readonly text: string;
  readonly calls: readonly PlainCall[];
  /** The history that goes with the answer, if a layer has replaced it. */
  readonly history?: readonly PlainMessage[];
}

/** "outside in"; what it sets, the input, is kept. The last call of `setInput` wins, each of which extends the one before. */
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

/** "outside in"; `request.messages` become the session's. After `end` "the rest of the pipeline runs". */
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
        // The tap is given up at its question; those after it go on with what it had.
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
 * "outside in, then back out". `ask` is the model: each entry of the innermost layer asks it once. Undefined when it was
 * never asked, because an ended run that was disturbed did not come to it.
 */
export function wrapModelCall(
  world: World,
  session: OracleSession,
  place: Place,
  ask: () => PlainAnswer | undefined,
): PlainAnswer | undefined {
  const layers = tapsOf(world, 'wrapModelCall');
  let history: readonly PlainMessage[] | undefined;
  /** The number of times that each layer was entered: `once` holds for one entry. */
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

/** "inside out"; the response is kept. `again` adds the messages of all that call it. */
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

/** "runs for every plugin, even if something threw": here, of a completed run. */
export function afterAgent(world: World, session: OracleSession, run: number): void {
  for (const { plugin, tap } of tapsOf(world, 'afterAgent').toReversed()) {
    for (const { what } of actsAt(tap, { run, step: 0 })) {
      if (what === 'count') session.count(plugin.name);
      // The error is listed, the outcome stays; the rest of this tap does not run.
      if (what === 'throw' || what === 'reject') break;
    }
  }
}
