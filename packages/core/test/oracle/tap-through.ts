// Creates taps of the before and after hooks.
import { randomUUID } from 'node:crypto';

import type { CompleteResponse, Hooks, Run } from '../../src/contract/hooks.ts';
import { textPart } from '../../src/contract/messages.ts';
import type { ModelRequest, ModelResponseInput } from '../../src/contract/model.ts';
import { question, type Actor } from './actor.ts';
import { noteText } from './model/session.ts';
import { actsAt, type Act, type TapPlan } from './model/world.ts';

/** Performs an act on the value of a hook. Returns the next value, or a promise if the act has to be awaited. */
type Passage<V> = (act: Act, value: V) => V | Promise<V>;

export function tapThrough(hooks: Hooks, tap: TapPlan, actor: Actor): void {
  switch (tap.hook) {
    case 'beforeAgent':
      hooks.beforeAgent.tap('tap', (run) => {
        const passed = pass(tap, actor, run, undefined, undefined, (act) => actBeforeAgent(act, run));
        return passed instanceof Promise ? passed.then(() => undefined) : undefined;
      });
      return;
    case 'beforeModel':
      hooks.beforeModel.tap('tap', (request, run) =>
        pass(tap, actor, run, run.step, request, (act, value) => actBeforeModel(act, value, run)),
      );
      return;
    case 'afterModel':
      hooks.afterModel.tap('tap', (response, run) =>
        pass<ModelResponseInput>(tap, actor, run, run.step, response, (act, value) =>
          actAfterModel(act, value as CompleteResponse, run),
        ),
      );
      return;
    default:
      hooks.afterAgent.tap('tap', (result, run) => {
        if (result.outcome !== 'completed') return undefined;
        return pass(tap, actor, run, undefined, result, (_act, value) => value);
      });
  }
}

/** Performs all acts of a place in turn, synchronously or asynchronously. */
function pass<V>(
  tap: TapPlan,
  actor: Actor,
  run: Run,
  step: number | undefined,
  value: V,
  passage: Passage<V>,
): V | Promise<V> {
  const acts = actsAt(tap, { run: Number(run.context), step: step ?? 0 });
  if (tap.pace === 'sync') {
    let passed = value;
    // No act of a synchronous tap returns a promise.
    for (const act of acts) passed = one(tap, actor, run, act, passed, passage) as V;
    return passed;
  }
  return passAsync(tap, actor, run, acts, value, passage);
}

async function passAsync<V>(
  tap: TapPlan,
  actor: Actor,
  run: Run,
  acts: readonly Act[],
  value: V,
  passage: Passage<V>,
): Promise<V> {
  let passed = value;
  for (const act of acts) {
    const pause = actor.pause(tap);
    if (pause !== undefined) await pause;
    const next = one(tap, actor, run, act, passed, passage);
    passed = next instanceof Promise ? await next : next;
  }
  return passed;
}

function one<V>(
  tap: TapPlan,
  actor: Actor,
  run: Run,
  act: Act,
  value: V,
  passage: Passage<V>,
): V | Promise<V> {
  actor.life.course.events.add(`${tap.hook} ${act.what}`);
  switch (act.what) {
    case 'throw':
    case 'reject':
      // An error of `afterAgent` does not fail the run, so it is thrown each time.
      if (tap.hook === 'afterAgent') throw new Error(act.id);
      actor.fail(act);
      return value;
    case 'count':
      return run.once(act.id, () => actor.count(run)).then(() => value);
    case 'ask':
      return run.interrupt(question(act.id)).then(() => value);
    case 'end':
      run.end(noteText(act.id));
      return value;
    case 'limit':
      run.end(noteText(act.id), { reason: 'limit' });
      return value;
    default:
      return passage(act, value);
  }
}

function actBeforeAgent({ what, id }: Act, run: Run): undefined {
  if (what === 'append') run.setInput([...run.newMessages, { role: 'user', content: noteText(id) }]);
}

function actBeforeModel({ what, id }: Act, request: ModelRequest, _run: Run): ModelRequest {
  const { messages } = request;
  if (what === 'append') {
    const note = { id: randomUUID(), role: 'user' as const, content: [textPart(noteText(id))] };
    return { ...request, messages: [...messages, note] };
  }
  const first = messages.findIndex(
    ({ role, content: [part] }) => role === 'user' && part?.type === 'text' && part.text.startsWith('note '),
  );
  return first === -1 ? request : { ...request, messages: messages.toSpliced(first, 1) };
}

function actAfterModel({ what, id }: Act, response: CompleteResponse, run: Run): CompleteResponse {
  if (what === 'again') {
    run.again({ role: 'user', content: noteText(id) });
    return response;
  }
  const { message } = response;
  const [first, ...rest] = message.content;
  const text = first?.type === 'text' ? first.text : '';
  return { ...response, message: { ...message, content: [textPart(`${text}${noteText(id)}`), ...rest] } };
}
