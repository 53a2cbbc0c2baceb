import { isPromise } from '../../base/is-promise.ts';
import { freezeJson, type JsonObject } from '../../base/json.ts';
import type { CompleteResponse } from '../../contract/hooks.ts';
import type { ModelRequest, ModelResponse } from '../../contract/model.ts';
import type { RunPosition } from '../../contract/store.ts';
import type { Tool } from '../../contract/tool.ts';
import type { Frame } from '../../hooks/frame.ts';
import type { LiveTap } from '../../hooks/live-tap.ts';
import { withUniqueCalls } from '../../sessions/unique-calls.ts';
import type { ActiveRun } from '../active-run.ts';
import { callHook, isIdle, type HookSpec } from '../hook-caller.ts';
import { restoreTools, storeTools } from '../offered-tools.ts';
import { ModelOnionCall } from './model-call.ts';
import { acceptRequest, baseRequest, paired, restoreRequest, storeRequest } from './model-request.ts';
import { acceptResponse, isEmptyAnswer } from './model-response.ts';
import { StreamEdge } from './stream-edge.ts';

/** A model's answer, through all hooks but not yet committed. */
export interface Turn {
  readonly response: CompleteResponse;
  /** The tools that may be executed: those that the winning request offered. */
  readonly offered: readonly Tool[];
  /** The model said nothing at all, and no layer put anything in its place. */
  readonly isEmpty: boolean;
}

/** A call of the model through its layers. */
export class AskedModel {
  readonly #run: ActiveRun;
  readonly #call: ModelOnionCall;
  readonly #frame: Frame;
  readonly #edge: StreamEdge | undefined;
  /** Leave it when this has settled. */
  readonly answer: Promise<ModelResponse>;

  constructor(run: ActiveRun, request: ModelRequest) {
    const { listener, chains } = run;
    this.#run = run;
    this.#edge = listener === undefined ? undefined : new StreamEdge(listener);
    run.progress.ask(run.session.length, this.#edge);
    this.#call = new ModelOnionCall(run, request);
    this.#frame = run.life.enter();
    const answer = chains.wrapModelCall.call(request, this.#call, this.#frame, this.#edge);
    // An abort cuts the model's own call short; that is all of it unless there are layers, which may take no notice.
    this.answer = isIdle(chains.wrapModelCall) ? answer : this.#frame.wait(answer);
  }

  leave(): void {
    this.#run.life.leave(this.#frame);
  }

  /** Leads an answer through `afterModel`. */
  take(response: ModelResponse): Turn | Promise<Turn> {
    const run = this.#run;
    const call = this.#call;
    run.life.throwIfStopped();
    if (call.replacement !== undefined) {
      const change = run.session.replacing(paired(run, call.replacement));
      // It goes out together with the answer that it made possible.
      if (change !== undefined) run.session.hold(change);
    }
    const source = call.sourceOf(response);
    const offered = source?.tools ?? call.commonTools;
    // The message of an answer that no layer has touched is complete.
    const complete =
      source?.response.message === response.message
        ? (response as CompleteResponse)
        : withCompleteMessage(run, response);
    // The model itself said nothing, and no layer put anything in its place.
    const cameEmpty = source !== undefined && isEmptyAnswer(source.response) && isEmptyAnswer(response);
    const passed = passAfterModel(run, complete, { offered, cameEmpty, from: undefined });
    if (isPromise(passed)) return passed.then((final) => this.#show(final, offered, cameEmpty));
    return this.#show(passed, offered, cameEmpty);
  }

  #show(response: CompleteResponse, offered: readonly Tool[], cameEmpty: boolean): Turn | Promise<Turn> {
    const isEmpty = cameEmpty && isEmptyAnswer(response) && !isCut(response);
    const turn = { response, offered, isEmpty };
    const edge = this.#edge;
    if (edge === undefined) return turn;
    // Nothing is kept of an empty answer: neither is what the model was seen to think.
    const shown = isEmpty ? edge.retract() : edge.settle(response.message);
    return this.#run.orAbort(shown).then(() => turn);
  }
}

/** The same response with a message that has its id and unique calls. */
function withCompleteMessage(run: ActiveRun, response: ModelResponse): CompleteResponse {
  const message = withUniqueCalls(response.message, (id) => run.session.hasCall(id), run.newMessageId);
  return message === response.message
    ? (response as CompleteResponse)
    : Object.freeze({ ...response, message });
}

/** Goes on with an answer that was committed before `afterModel` was through. */
export async function resumeTurn(
  run: ActiveRun,
  position: RunPosition & { at: 'afterModel' },
): Promise<Turn> {
  freezeJson(position.value, 'the response that waits for afterModel');
  const stored = position.value as unknown as CompleteResponse;
  run.verdict.restoreMore(position.more);
  const offered = restoreTools(run, position.offered);
  const cameEmpty = position.empty === true;
  const response = await passAfterModel(run, stored, { offered, cameEmpty, from: position.tap });
  const isEmpty = cameEmpty && isEmptyAnswer(response) && !isCut(response);
  if (run.listener !== undefined && !isEmpty) {
    const edge = new StreamEdge(run.listener);
    run.progress.show(edge);
    await run.orAbort(edge.settle(response.message));
  }
  return { response, offered, isEmpty };
}

/** An answer that was cut off or filtered before it began is one, of which nothing is left; so is one that goes on. */
function isCut({ finish }: CompleteResponse): boolean {
  return finish === 'length' || finish === 'content-filter' || finish === 'paused';
}

/** The request of a step, through `beforeModel`. */
export function prepareRequest(run: ActiveRun): ModelRequest | Promise<ModelRequest> {
  const isPlain = run.progress.position.at !== 'beforeModel' && isIdle(run.chains.beforeModel);
  return isPlain ? baseRequest(run) : passBeforeModel(run);
}

function passBeforeModel(run: ActiveRun): ModelRequest | Promise<ModelRequest> {
  const { position } = run.progress;
  const { beforeModel } = run.chains;
  const waiting = position.at === 'beforeModel' ? position : undefined;
  const first = waiting === undefined ? baseRequest(run) : restoreRequest(run, waiting.value);
  const spec: HookSpec<ModelRequest> = {
    hook: 'beforeModel',
    accept: (tap, returned, given) =>
      returned === undefined ? given : acceptRequest(run, tap, returned, given),
    locate: (tap, request) => ({ at: 'beforeModel', tap: tap.key, value: storeRequest(run, request) }),
  };
  const passed = callHook(run, beforeModel, spec, first, waiting?.tap);
  return isPromise(passed) ? passed.then((request) => keepRequest(run, request)) : keepRequest(run, passed);
}

/** The messages of a request that has passed `beforeModel` become those of the session. */
function keepRequest(run: ActiveRun, request: ModelRequest): ModelRequest | Promise<ModelRequest> {
  run.life.throwIfStopped();
  if (request.messages === run.session.messages) return request;
  const change = run.session.replacing(paired(run, request.messages));
  const kept = (): ModelRequest => Object.freeze({ ...request, messages: run.session.messages });
  const committed = change === undefined ? undefined : run.session.commit(change);
  return committed === undefined ? kept() : committed.then(kept);
}

function passAfterModel(
  run: ActiveRun,
  response: CompleteResponse,
  circumstances: AfterModel,
): CompleteResponse | Promise<CompleteResponse> {
  return isIdle(run.chains.afterModel) ? response : callAfterModel(run, response, circumstances);
}

/** What `afterModel` is called with beside the response. */
interface AfterModel {
  readonly offered: readonly Tool[];
  /** The model's own answer was empty. */
  readonly cameEmpty: boolean;
  /** The tap to go on with. */
  readonly from: string | undefined;
}

function callAfterModel(
  run: ActiveRun,
  response: CompleteResponse,
  { offered, cameEmpty, from }: AfterModel,
): CompleteResponse | Promise<CompleteResponse> {
  const { afterModel } = run.chains;
  /** What `again` was called with before the tap that is under way: that one will be called anew. */
  let more = run.verdict.more;
  const locate = (tap: LiveTap | undefined, value: CompleteResponse): RunPosition => ({
    at: 'afterModel',
    ...(tap === undefined ? {} : { tap: tap.key }),
    value: storeResponse(value),
    offered: storeTools(run, offered),
    ...(cameEmpty ? { empty: true } : {}),
    ...(more === undefined ? {} : { more }),
  });
  let saved = from !== undefined;
  // The answer is paid for: once a tap makes the run wait, a crash must not lose it.
  const save = (): void => {
    if (saved) return;
    saved = true;
    // A tap that has asked by now has said where to go on.
    if (run.progress.position.at !== 'afterModel') run.progress.moveTo(locate(undefined, response));
    run.session.commitSoon({ run: run.toRecord() });
  };
  const passed = callHook(
    run,
    afterModel,
    {
      hook: 'afterModel',
      entered: () => {
        more = run.verdict.more;
      },
      accept: (tap, returned, given) =>
        returned === undefined || returned === given ? given : accepted(run, tap, returned, given),
      locate,
      save,
    },
    response,
    from,
  );
  const unlessAborted = (final: CompleteResponse): CompleteResponse => {
    run.life.throwIfStopped();
    return final;
  };
  return isPromise(passed) ? passed.then(unlessAborted) : unlessAborted(passed);
}

function accepted(
  run: ActiveRun,
  tap: LiveTap,
  returned: unknown,
  given: CompleteResponse,
): CompleteResponse {
  const response = acceptResponse(tap, returned);
  const message =
    response.message === given.message
      ? given.message
      : withUniqueCalls(response.message, (id) => run.session.hasCall(id), run.newMessageId);
  return Object.freeze({ ...response, message });
}

function storeResponse({ message, usage, finish, metadata }: CompleteResponse): JsonObject {
  const stored = {
    message,
    finish,
    ...(usage === undefined ? {} : { usage }),
    ...(metadata === undefined ? {} : { metadata }),
  };
  freezeJson(stored, 'the response that waits for afterModel');
  // `freezeJson` has checked that it is JSON.
  return stored as unknown as JsonObject;
}
