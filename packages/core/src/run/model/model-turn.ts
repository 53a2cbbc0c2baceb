import { isPromise } from '../../base/is-promise.ts';
import type { JsonObject } from '../../base/json.ts';
import { frozenJson } from '../../base/json/frozen-json.ts';
import type { CompleteResponse } from '../../contract/hooks.ts';
import type { Message } from '../../contract/messages.ts';
import type { ModelRequest, ModelResponse } from '../../contract/model.ts';
import type { HookStanding, RunPosition } from '../../contract/store.ts';
import type { Tool } from '../../contract/tool.ts';
import type { Frame } from '../../hooks/frame.ts';
import type { LiveTap } from '../../hooks/live-tap.ts';
import { withUniqueCalls } from '../../sessions/content/unique-calls.ts';
import { callHook, firstTap, type HookSpec } from '../hook-caller.ts';
import { restoreTools, storeTools } from '../offered-tools.ts';
import type { RunParts } from '../run-parts.ts';
import { checkMessages, paired } from './check-request.ts';
import { ModelOnionCall } from './model-call.ts';
import { acceptRequest, baseRequest, restoreRequest, storeRequest } from './model-request.ts';
import { acceptResponse, isEmptyAnswer, withOwnId } from './model-response.ts';
import { StreamEdge } from './stream-edge.ts';

/** A response of the model that has passed all hooks, but is not committed. */
export interface Turn {
  readonly response: CompleteResponse;
  /** The tools that may be executed: those offered in the request that got this response. */
  readonly offered: readonly Tool[];
  /** True if the model's response was empty and no layer or tap added content. */
  readonly isEmpty: boolean;
}

/** The model call of this turn. */
interface AskedModel {
  readonly call: ModelOnionCall;
  readonly frame: Frame;
  readonly edge: StreamEdge | undefined;
}

/** Data about a response that is stored beside it. */
interface Answered {
  readonly offered: readonly Tool[];
  /** True if the model's own response was empty. */
  readonly cameEmpty: boolean;
}

/** One turn of the model: the request, the call through the layers, and the response. */
export class ModelTurn {
  readonly #run: RunParts;
  #asked: AskedModel | undefined;

  constructor(run: RunParts) {
    this.#run = run;
  }

  /** Returns the request of the step, after `beforeModel`. */
  request(): ModelRequest | Promise<ModelRequest> {
    const run = this.#run;
    const { position } = run.record.progress;
    if (position.at === 'wrapModelCall') return restoreRequest(run, position.value);
    const isPlain = position.at !== 'beforeModel' && run.terms.chains.beforeModel.isIdle;
    return isPlain ? baseRequest(run.terms, run.record) : this.#passBeforeModel();
  }

  #passBeforeModel(): ModelRequest | Promise<ModelRequest> {
    const run = this.#run;
    const { position } = run.record.progress;
    const { beforeModel } = run.terms.chains;
    const waiting = position.at === 'beforeModel' ? position : undefined;
    const first =
      waiting === undefined ? baseRequest(run.terms, run.record) : restoreRequest(run, waiting.value);
    const spec: HookSpec<ModelRequest> = {
      hook: 'beforeModel',
      accept: (tap, returned, given) =>
        returned === undefined ? given : acceptRequest(run, tap, returned, given),
      locate: ({ tap }, request) => ({
        at: 'beforeModel',
        tap,
        value: storeRequest(run.plugins, run.record, request),
      }),
    };
    const passed = callHook(run, beforeModel, spec, first, firstTap(beforeModel.taps, waiting ?? {}));
    return isPromise(passed)
      ? passed.then((request) => this.#keepRequest(request))
      : this.#keepRequest(passed);
  }

  /**
   * If the messages of a request differ from the session's, commits them as the session's, and stores the request as
   * the request of the step. A resume then calls the model with it, so that `beforeModel` does not change the messages
   * twice.
   */
  #keepRequest(request: ModelRequest): ModelRequest | Promise<ModelRequest> {
    const run = this.#run;
    const { record, life } = run;
    const { session, progress } = record;
    life.throwIfStopped();
    if (request.messages === session.messages) return request;
    const change = session.replacing(checkMessages(run, request));
    const kept = (): ModelRequest => {
      const same = Object.freeze({ ...request, messages: session.messages });
      run.plugins.copyChanges(request, same);
      return same;
    };
    if (change === undefined) return kept();
    progress.moveTo({ at: 'wrapModelCall', value: storeRequest(run.plugins, run.record, kept()) });
    const committed = session.commit({ ...change, run: record.toRecord() });
    return committed === undefined ? kept() : committed.then(kept);
  }

  /** Calls the model through its layers. Call `leave` when this has settled. */
  ask(request: ModelRequest): Promise<ModelResponse> {
    const run = this.#run;
    const { listener } = run.signs;
    const { wrapModelCall } = run.terms.chains;
    const edge = listener === undefined ? undefined : new StreamEdge(listener);
    run.record.progress.ask(run.record.session.length, edge);
    const call = new ModelOnionCall(run, request);
    const frame = run.life.enter();
    this.#asked = { call, frame, edge };
    // Layers may ignore an abort, so it is raced against them; without layers, the model call settles on an abort by
    // itself.
    return wrapModelCall.isIdle
      ? call.core(request, frame, edge)
      : frame.wait(wrapModelCall.call(request, call, frame, edge));
  }

  leave(): void {
    if (this.#asked !== undefined) this.#run.life.leave(this.#asked.frame);
  }

  /** Passes a response through `afterModel`. From here on, every commit includes the response. */
  take(response: ModelResponse): Turn | Promise<Turn> {
    const run = this.#run;
    // `ask` was called before.
    const { call } = this.#asked as AskedModel;
    const source = call.sourceOf(response);
    const offered = source?.tools ?? call.commonTools;
    // A response that no layer changed was completed when the model returned it.
    const complete =
      source?.response.message === response.message
        ? (response as CompleteResponse)
        : this.#complete(response, source !== undefined);
    // True only if the layers added no content, either.
    const cameEmpty = source !== undefined && isEmptyAnswer(source.response) && isEmptyAnswer(response);
    const answered = { offered, cameEmpty };
    run.record.progress.moveTo(() => this.#locateAnswer(complete, answered, {}, run.record.verdict.more));
    if (call.replacement !== undefined) {
      const change = run.record.session.replacing(paired(run.record, run.signs, call.replacement));
      // The replaced messages are committed together with the response that they made possible.
      if (change !== undefined) run.record.session.hold(change);
    }
    run.life.throwIfStopped();
    const passed = this.#passAfterModel(complete, answered);
    if (isPromise(passed)) return passed.then((final) => this.#show(final, offered, cameEmpty));
    return this.#show(passed, offered, cameEmpty);
  }

  #show(response: CompleteResponse, offered: readonly Tool[], cameEmpty: boolean): Turn | Promise<Turn> {
    const isEmpty = cameEmpty && isEmptyAnswer(response) && !isCut(response);
    const turn = { response, offered, isEmpty };
    const edge = this.#asked?.edge;
    if (edge === undefined) return turn;
    // An empty response is not stored, so reasoning that was streamed is taken back.
    const shown = isEmpty ? edge.retract() : edge.settle(response.message);
    return this.#run.life.orAbort(shown).then(() => turn);
  }

  /** Returns the response with a message that has an id, and tool calls with unique ids. */
  #complete(response: ModelResponse, isOfModel: boolean): CompleteResponse {
    const run = this.#run;
    const named = isOfModel ? response.message : withOwnId(run.record.session, response.message);
    const message = withUniqueCalls(named, (id) => run.record.session.hasCall(id), run.record.newMessageId);
    return message === response.message
      ? (response as CompleteResponse)
      : Object.freeze({ ...response, message });
  }

  /** Continues with a response that was stored before `afterModel` had finished. */
  async resume(position: RunPosition & { at: 'afterModel' }): Promise<Turn> {
    const run = this.#run;
    const value = frozenJson(position.value, 'the response that waits for afterModel');
    // `storeResponse` wrote it.
    const stored = value as unknown as CompleteResponse;
    run.record.verdict.restoreMore(position.more);
    const offered = restoreTools(run.plugins, run.signs, position.offered);
    const cameEmpty = position.empty === true;
    const response = await this.#passAfterModel(stored, { offered, cameEmpty }, position);
    const isEmpty = cameEmpty && isEmptyAnswer(response) && !isCut(response);
    if (run.signs.listener !== undefined && !isEmpty) {
      const edge = new StreamEdge(run.signs.listener);
      run.record.progress.show(edge);
      await run.life.orAbort(edge.settle(response.message));
    }
    return { response, offered, isEmpty };
  }

  /** Returns the position of a run whose response is in `afterModel`. */
  #locateAnswer(
    value: CompleteResponse,
    { offered, cameEmpty }: Answered,
    standing: HookStanding,
    more: readonly Message[] | undefined,
  ): RunPosition {
    const run = this.#run;
    const { asked } = run.record.progress;
    return {
      at: 'afterModel',
      ...standing,
      value: storeResponse(value),
      offered: storeTools(run.plugins, offered),
      ...(cameEmpty ? { empty: true } : {}),
      ...(cameEmpty && asked.at === 'wrapModelCall' ? { request: asked.value } : {}),
      ...(more === undefined ? {} : { more }),
    };
  }

  /** `from` is the position of a resumed run within the hook. */
  #passAfterModel(
    response: CompleteResponse,
    answered: Answered,
    from?: HookStanding,
  ): CompleteResponse | Promise<CompleteResponse> {
    const run = this.#run;
    return run.terms.chains.afterModel.isIdle ? response : this.#callAfterModel(response, answered, from);
  }

  #callAfterModel(
    response: CompleteResponse,
    answered: Answered,
    from: HookStanding | undefined,
  ): CompleteResponse | Promise<CompleteResponse> {
    const run = this.#run;
    const { afterModel } = run.terms.chains;
    /** The messages that `again` had added before the current tap was called, because a resume calls this tap again. */
    let more = run.record.verdict.more;
    let saved = from !== undefined;
    // Stored once a tap makes the run wait: the response has cost tokens, and a crash must not lose it.
    const save = (): void => {
      if (saved) return;
      saved = true;
      run.record.recordSoon();
    };
    const passed = callHook(
      run,
      afterModel,
      {
        hook: 'afterModel',
        entered: () => {
          more = run.record.verdict.more;
        },
        accept: (tap, returned, given) =>
          returned === undefined || returned === given ? given : this.#accepted(tap, returned, given),
        locate: (standing, value) => this.#locateAnswer(value, answered, standing, more),
        follows: true,
        save,
      },
      response,
      firstTap(afterModel.taps, from ?? {}),
    );
    const through = (final: CompleteResponse): CompleteResponse => {
      run.record.progress.moveTo(() =>
        this.#locateAnswer(final, answered, { rest: [] }, run.record.verdict.more),
      );
      run.life.throwIfStopped();
      return final;
    };
    return isPromise(passed) ? passed.then(through) : through(passed);
  }

  #accepted(tap: LiveTap, returned: unknown, given: CompleteResponse): CompleteResponse {
    const run = this.#run;
    const response = acceptResponse(tap, returned);
    const message =
      response.message === given.message
        ? given.message
        : withUniqueCalls(
            response.message.id === given.message.id
              ? response.message
              : withOwnId(run.record.session, response.message),
            (id) => run.record.session.hasCall(id),
            run.record.newMessageId,
          );
    return Object.freeze({ ...response, message });
  }
}

/**
 * Returns true for a response that was cut off, filtered or paused. Even without content it is stored, unlike an empty
 * one.
 */
function isCut({ finish }: CompleteResponse): boolean {
  return finish === 'length' || finish === 'content-filter' || finish === 'paused';
}

function storeResponse({ message, usage, finish, metadata }: CompleteResponse): JsonObject {
  const label = 'the response that waits for afterModel';
  // A complete message is JSON; the other members are converted here.
  return Object.freeze({
    message,
    finish,
    ...(usage === undefined ? {} : { usage: frozenJson(usage, label) }),
    ...(metadata === undefined ? {} : { metadata: frozenJson(metadata, label) }),
  }) as unknown as JsonObject;
}
