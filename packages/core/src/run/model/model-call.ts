import { ShallotError } from '../../base/errors.ts';
import { handled } from '../../base/handled.ts';
import type { Schema, SchemaOutput } from '../../base/schema.ts';
import { asThrown } from '../../base/thrown.ts';
import type { Scope, WrapRun } from '../../contract/hooks.ts';
import type { InterruptRequest } from '../../contract/interrupt.ts';
import type { Message, MessageInput } from '../../contract/messages.ts';
import type { Chunk, Emit, ModelContext, ModelRequest, ModelResponse } from '../../contract/model.ts';
import type { Tool } from '../../contract/tool.ts';
import type { Frame } from '../../hooks/frame.ts';
import type { LiveTap } from '../../hooks/live-tap.ts';
import type { OnionCall } from '../../hooks/onion-call.ts';
import { asPlugin, nobody } from '../../hooks/plugin-context.ts';
import type { Sink } from '../../hooks/sink.ts';
import type { ActiveRun } from '../active-run.ts';
import { once } from '../once.ts';
import { regainClaim } from '../regain-claim.ts';
import { RunView } from '../run-view.ts';
import { acceptRequest, completeMessages, finalRequest } from './model-request.ts';
import { acceptResponse, completeResponse } from './model-response.ts';
import type { SilenceWatch } from './silence-keeper.ts';

/** An answer of the model, with the tools that were offered to get it: only these may be executed. */
interface Answered {
  readonly response: ModelResponse;
  readonly tools: readonly Tool[];
}

/** One passage through `wrapModelCall`, with the model inside. */
export class ModelOnionCall implements OnionCall<ModelRequest, ModelResponse, Chunk> {
  readonly restart: Chunk = { type: 'restart' };
  readonly origin: Scope['origin'];
  /** What a layer wants the session's messages to become, if its call succeeds. */
  #replacement: { readonly tap: LiveTap; readonly messages: readonly Message[] } | undefined;
  readonly run: ActiveRun;
  /** The answers that came with their requests: with parallel attempts the last need not be the one that won. */
  readonly #answered: Answered[] = [];
  /** What was offered to begin with: a layer that answers by itself answers this. */
  readonly #offered: readonly Tool[];

  constructor(run: ActiveRun, request: ModelRequest, origin?: Scope['origin']) {
    this.run = run;
    this.#offered = request.tools ?? [];
    this.origin = origin;
  }

  get resumed(): boolean {
    return this.run.resumed;
  }

  get replacement(): readonly Message[] | undefined {
    return this.#replacement?.messages;
  }

  /** What the model gave that became this response; undefined for one that a layer has put together itself. */
  sourceOf({ message }: ModelResponse): Answered | undefined {
    return this.#answered.findLast(
      ({ response }) => response.message === message || response.message.id === message.id,
    );
  }

  /** The tools that may be executed for an answer of a layer's own: what every attempt offered was hidden from none. */
  get commonTools(): readonly Tool[] {
    const [first, ...others] = this.#answered.map((each) => each.tools);
    if (first === undefined) return this.#offered;
    return first.filter((tool) => others.every((tools) => tools.includes(tool)));
  }

  core(request: ModelRequest, frame: Frame, sink: Sink<Chunk> | undefined): Promise<ModelResponse> {
    if (frame.closed) return handled(Promise.reject(asThrown(frame.reason)));
    if (!this.run.session.isClaimLapsed) return this.#generate(request, frame, sink);
    return handled(regainClaim(this.run, frame).then(() => this.#generate(request, frame, sink)));
  }

  /** One promise for the answer and all that can come before it: the frame's closing, by an abort, a layer or silence. */
  #generate(request: ModelRequest, frame: Frame, sink: Sink<Chunk> | undefined): Promise<ModelResponse> {
    const { run } = this;
    const { promise, resolve, reject } = Promise.withResolvers<ModelResponse>();
    let watch: SilenceWatch | undefined;
    const fail = (thrown: unknown): void => {
      watch?.stop();
      frame.settle();
      const error = asThrown(thrown);
      run.blames.model(error);
      reject(error);
      void handled(promise);
    };
    try {
      const final = finalRequest(run, request);
      watch = run.parts.silence.watch(run, final.model.id, frame, sink !== undefined);
      const circumstances = new Circumstances(run, frame, sink, watch);
      frame.onClose(fail);
      // What a model leaves behind is not that of the layers around it.
      const generate = asPlugin(nobody, () => final.model.generate(final, circumstances));
      const accept = (answered: unknown): void => {
        if (frame.over) return;
        try {
          resolve(this.#accept(final, answered));
          watch?.stop();
          frame.settle();
        } catch (error) {
          fail(error);
        }
      };
      generate().then(accept, fail);
    } catch (thrown) {
      fail(thrown);
    }
    return promise;
  }

  #accept(request: ModelRequest, answered: unknown): ModelResponse {
    const response = completeResponse(this.run, request, answered);
    this.run.progress.count(response.usage, this.origin?.plugin);
    this.#answered.push({ response, tools: request.tools ?? [] });
    return response;
  }

  runFor(tap: LiveTap): WrapRun {
    return RunView.of(this.run, tap.owner);
  }

  acceptRequest(tap: LiveTap, passed: unknown, given: ModelRequest): ModelRequest {
    return acceptRequest(this.run, tap, passed, given);
  }

  acceptResponse(tap: LiveTap, returned: unknown): ModelResponse {
    const answered = this.#answered.find(({ response }) => response === returned);
    return answered === undefined ? acceptResponse(tap, returned) : answered.response;
  }

  blame(tap: LiveTap, error: unknown): void {
    if (this.#replacement?.tap === tap) this.#replacement = undefined;
    this.run.blames.tap(tap, error);
  }

  report(error: ShallotError): void {
    this.run.report(error);
  }

  fail(error: ShallotError): void {
    this.run.fail(error);
  }

  startedOver(tap: LiveTap): void {
    if (this.#replacement !== undefined && this.#replacement.tap.stage > tap.stage)
      this.#replacement = undefined;
  }

  async interrupt<S extends Schema>(tap: LiveTap, _request: InterruptRequest<S>): Promise<SchemaOutput<S>> {
    const { plugin, hook } = tap.info;
    throw new ShallotError('INTERRUPT_NOT_ALLOWED', {
      message: `${plugin} requested an interrupt in ${hook}; use beforeModel, afterModel, wrapToolCall or a tool.`,
      plugin,
      hook,
    });
  }

  once<T>(tap: LiveTap, attempt: number, key: string, fn: () => T | Promise<T>): Promise<T> {
    const purpose = this.origin === undefined ? '' : `${this.origin.plugin}/${this.origin.purpose}`;
    const { plugin } = tap.info;
    return once(
      this.run,
      `once:${this.run.progress.step}:model:${purpose}:${plugin}:${attempt}:${key}`,
      plugin,
      fn,
    );
  }

  replaceMessages(tap: LiveTap, messages: readonly MessageInput[]): void {
    const complete = completeMessages(this.run, messages, this.run.session.messages, tap.info.plugin);
    this.#replacement = { tap, messages: complete };
  }
}

/** What a model is given beside the request. Its signal is made when the model asks for it. */
class Circumstances implements ModelContext {
  readonly emit: Emit;
  readonly wantsChunks: boolean;
  readonly warn: NonNullable<ModelContext['warn']>;
  readonly alive: () => void;
  readonly #frame: Frame;

  constructor(run: ActiveRun, frame: Frame, sink: Sink<Chunk> | undefined, watch: SilenceWatch) {
    this.#frame = frame;
    this.warn = (code, message) => run.warn(code, message);
    this.wantsChunks = sink !== undefined;
    this.alive = sink === undefined ? doNothing : () => watch.signed();
    this.emit =
      sink === undefined ? doNothing : (chunk) => (frame.over ? undefined : watch.passed(sink.push(chunk)));
  }

  get signal(): AbortSignal {
    return this.#frame.signal;
  }
}

function doNothing(): void {}
