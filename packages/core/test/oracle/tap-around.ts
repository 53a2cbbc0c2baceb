// Creates layers and gates: the taps around a call.
import { randomUUID } from 'node:crypto';

import type { Hooks, Scope } from '../../src/contract/hooks.ts';
import { textPart, type Message } from '../../src/contract/messages.ts';
import type { ModelRequest, ModelResponseInput } from '../../src/contract/model.ts';
import type { ToolCall, ToolResult } from '../../src/contract/tool.ts';
import { question, type Actor } from './actor.ts';
import { noteText, sayText, type CallInput } from './model/session.ts';
import { actsAt, answerText, type Act, type TapPlan } from './model/world.ts';

/** The effects of acts on the request and the response of a layer. */
interface Layer<Request, Response> {
  readonly next: (request: Request) => Promise<Response>;
  readonly change: (act: Act, request: Request) => Request;
  readonly answer: (act: Act, response: Response) => Response;
  readonly skip: (act: Act) => Response;
}

export function tapAround(hooks: Hooks, tap: TapPlan, actor: Actor): void {
  if (tap.hook === 'wrapModelCall') {
    hooks.wrapModelCall.tapPromise('tap', (request, next, scope) => {
      const place = { run: Number(scope.run.context), step: scope.run.step };
      return pass<ModelRequest, ModelResponseInput>(actsAt(tap, place), tap, actor, scope, request, {
        next,
        change: (act, given) => replaceMessages(act, given, scope),
        answer: addText,
        skip: () => ({ message: { role: 'assistant', content: answerText(place, 'skipped') } }),
      });
    });
    return;
  }
  hooks.wrapToolCall.tapPromise({ name: 'tap', gate: tap.hook === 'gate' }, (call, next, scope) => {
    const input = call.input as unknown as CallInput;
    return pass<ToolCall, ToolResult>(actsAt(tap, input, input.call), tap, actor, scope, call, {
      next,
      change: (_act, given) => given,
      answer: ({ id }, result) => ({ ...result, content: [...result.content, textPart(noteText(id))] }),
      skip: ({ id, what }) =>
        what === 'refuse'
          ? { content: [textPart(sayText(id))], isError: true, denied: { by: 'world' } }
          : { content: [textPart(sayText(id))] },
    });
  });
}

async function pass<Request, Response>(
  acts: readonly Act[],
  tap: TapPlan,
  actor: Actor,
  scope: Scope<never>,
  given: Request,
  layer: Layer<Request, Response>,
): Promise<Response> {
  let request = given;
  let skipped: Response | undefined;
  for (const act of acts.filter(({ isLate }) => !isLate)) {
    const pause = actor.pause(tap);
    if (pause !== undefined) await pause;
    await common(act, tap, actor, scope);
    if (act.what === 'append') request = layer.change(act, request);
    if (act.what === 'skip') skipped = layer.skip(act);
    if (act.what === 'refuse') return layer.skip(act);
  }
  if (skipped === undefined && acts.some(({ what }) => what === 'retry')) await layer.next(request);
  let response: Response;
  if (skipped === undefined) response = await layer.next(request);
  else response = skipped;
  for (const act of acts.filter(({ isLate }) => isLate)) {
    const pause = actor.pause(tap);
    if (pause !== undefined) await pause;
    await common(act, tap, actor, scope);
    if (act.what === 'append') response = layer.answer(act, response);
  }
  return response;
}

/** Performs the acts that do not depend on the kind of call. */
async function common(
  act: Act,
  tap: TapPlan,
  actor: Actor,
  { run, once, interrupt }: Scope<never>,
): Promise<void> {
  actor.life.course.events.add(`${tap.hook} ${act.what}`);
  switch (act.what) {
    case 'count':
      await once(act.id, () => actor.count(run));
      return;
    case 'ask':
    case 'refuse':
      await interrupt(question(act.id));
      return;
    case 'end':
      run.end(noteText(act.id));
      return;
    case 'limit':
      run.end(noteText(act.id), { reason: 'limit' });
      return;
    case 'throw':
    case 'reject':
      // A gate that fails denies the call, which is the same decision each time.
      if (tap.hook === 'gate') throw new Error(act.id);
      actor.fail(act);
      return;
    default:
  }
}

function replaceMessages(
  { id }: Act,
  request: ModelRequest,
  { replaceMessages }: Scope<never>,
): ModelRequest {
  const note: Message = { id: randomUUID(), role: 'user', content: [textPart(noteText(id))] };
  const messages = [...request.messages, note];
  replaceMessages(messages);
  return { ...request, messages };
}

function addText({ id }: Act, response: ModelResponseInput): ModelResponseInput {
  const { content } = response.message;
  const parts = typeof content === 'string' ? [textPart(content)] : content;
  const [first, ...rest] = parts;
  const text = first?.type === 'text' ? first.text : '';
  const changed = [textPart(`${text}${noteText(id)}`), ...rest];
  return { ...response, message: { ...response.message, content: changed } };
}
