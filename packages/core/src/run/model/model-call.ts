import type { Address } from '../../base/address.ts';
import { ShallotError } from '../../base/errors.ts';
import { handled } from '../../base/handled.ts';
import type { Schema, SchemaOutput } from '../../base/schema.ts';
import { asThrown } from '../../base/thrown.ts';
import type { Scope, WrapRun } from '../../contract/hooks.ts';
import type { InterruptRequest } from '../../contract/interrupt.ts';
import type { Message, MessageInput } from '../../contract/messages.ts';
import type { Chunk, Emit, ModelContext, ModelRequest, ModelResponse } from '../../contract/model.ts';
import { responseFacts } from '../../contract/response-facts.ts';
import type { Tool } from '../../contract/tool.ts';
import type { Frame } from '../../hooks/frame.ts';
import type { LiveTap } from '../../hooks/live-tap.ts';
import type { OnionCall } from '../../hooks/onion-call.ts';
import type { Sink } from '../../hooks/sink.ts';
import { costOf } from '../../options/prices.ts';
import { addressOf } from '../address-of.ts';
import { once } from '../once.ts';
import type { Signs } from '../parts/signs.ts';
import { regainClaim } from '../regain-claim.ts';
import type { RunParts } from '../run-parts.ts';
import { acceptRequest, completeMessages, finalRequest } from './model-request.ts';
import { acceptResponse, completeResponse } from './model-response.ts';
import type { SilenceWatch } from './silence-keeper.ts';

/** A response of the model, with the tools offered in its request: only those may be executed. */
interface Answered {
  readonly response: ModelResponse;
  readonly tools: readonly Tool[];
}

/** One call through the `wrapModelCall` layers, with the model at the core. */
export class ModelOnionCall implements OnionCall<ModelRequest, ModelResponse, Chunk> {
  readonly restart: Chunk = { type: 'restart' };
  readonly origin: Scope['origin'];
  /** Responses are not journalled, so there is no reason to wait for open branches. */
  readonly hasOpenQuestion = false;
  /** The messages with which a layer replaces the session's messages if this call succeeds. */
  #replacement: { readonly tap: LiveTap; readonly messages: readonly Message[] } | undefined;
  readonly run: RunParts;
  /**
   * All responses of this call, each with the tools of its request: with parallel attempts, the returned response is not
   * always the last.
   */
  readonly #answered: Answered[] = [];
  /** The tools of the original request, offered for a response that a layer makes without asking the model. */
  readonly #offered: readonly Tool[];

  constructor(run: RunParts, request: ModelRequest, origin?: Scope['origin']) {
    this.run = run;
    this.#offered = request.tools ?? [];
    this.origin = origin;
  }

  get address(): Address {
    return addressOf(this.run.terms, this.run.record);
  }

  get resumed(): boolean {
    return this.run.record.isResumed;
  }

  get replacement(): readonly Message[] | undefined {
    return this.#replacement?.messages;
  }

  /** Returns the model's response behind a response of the layers; undefined if a layer made the response itself. */
  sourceOf({ message }: ModelResponse): Answered | undefined {
    return this.#answered.findLast(
      ({ response }) => response.message === message || response.message.id === message.id,
    );
  }

  /**
   * The tools that may be executed for a response that a layer made itself: those offered in every attempt, or without
   * an attempt in the original request.
   */
  get commonTools(): readonly Tool[] {
    const [first, ...others] = this.#answered.map((each) => each.tools);
    if (first === undefined) return this.#offered;
    return first.filter((tool) => others.every((tools) => tools.includes(tool)));
  }

  /**
   * Calls the model. Settles with its response, or earlier when the frame closes: by an abort, a layer or a timeout.
   */
  core(request: ModelRequest, frame: Frame, sink: Sink<Chunk> | undefined): Promise<ModelResponse> {
    const { run } = this;
    if (frame.closed) return handled(Promise.reject(asThrown(frame.reason)));
    if (!run.record.session.isHeld)
      return handled(regainClaim(run, frame).then(() => this.core(request, frame, sink)));
    const { promise, resolve, reject } = Promise.withResolvers<ModelResponse>();
    let watch: SilenceWatch | undefined;
    const fail = (thrown: unknown): void => {
      watch?.stop();
      frame.settle();
      const error = asThrown(thrown);
      run.signs.blames.model(error);
      reject(error);
      void handled(promise);
    };
    try {
      const final = finalRequest(run, request);
      watch = run.terms.parts.silence.watch(run.signs, final.model, frame, sink !== undefined);
      const circumstances = new Circumstances(run.signs, frame, sink, watch);
      frame.onClose(fail);
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
      run.terms.parts.askModel(final, circumstances).then(accept, fail);
    } catch (thrown) {
      fail(thrown);
    }
    return promise;
  }

  #accept(request: ModelRequest, answered: unknown): ModelResponse {
    const isUsed = (id: string): boolean => this.#answered.some(({ response }) => response.message.id === id);
    const response = completeResponse(this.run.record, request, answered, isUsed);
    const { prices } = this.run.terms.parts;
    const { usage, metadata } = response;
    const price = prices && usage && costOf(prices, request.model.id, usage, responseFacts(metadata));
    const cost = prices && (price ?? 'unknown');
    this.run.record.progress.count(usage, { plugin: this.origin?.plugin, cost });
    if (this.origin === undefined) this.run.record.verdict.hear(metadata);
    this.#answered.push({ response, tools: request.tools ?? [] });
    return response;
  }

  runFor(tap: LiveTap): WrapRun {
    return this.run.plugins.viewFor(tap.owner);
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
    this.run.signs.blames.tap(tap, error);
  }

  report(error: ShallotError): void {
    this.run.signs.report(error);
  }

  fail(error: ShallotError): void {
    this.run.life.fail(error);
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

  async child(tap: LiveTap): Promise<never> {
    const { plugin, hook } = tap.info;
    throw new ShallotError('CHILD_REFUSED', {
      message: `${plugin} asked for a child in ${hook}; use wrapToolCall or a tool.`,
      plugin,
      hook,
    });
  }

  once<T>(tap: LiveTap, attempt: number, key: string, fn: () => T | Promise<T>): Promise<T> {
    const purpose = this.origin === undefined ? '' : `${this.origin.plugin}/${this.origin.purpose}`;
    const { plugin } = tap.info;
    return once(
      this.run,
      `once:${this.run.record.progress.step}:model:${purpose}:${plugin}:${attempt}:${key}`,
      plugin,
      fn,
    );
  }

  replaceMessages(tap: LiveTap, messages: readonly MessageInput[]): void {
    const complete = completeMessages(
      this.run.record,
      messages,
      this.run.record.session.messages,
      tap.info.plugin,
    );
    this.#replacement = { tap, messages: complete };
  }
}

export function askModel(request: ModelRequest, context: ModelContext): Promise<ModelResponse> {
  return request.model.generate(request, context);
}

/** The context of a model call. Its abort signal is created on first access. */
class Circumstances implements ModelContext {
  readonly emit: Emit;
  readonly wantsChunks: boolean;
  readonly warn: NonNullable<ModelContext['warn']>;
  readonly alive: () => void;
  readonly #frame: Frame;

  constructor(signs: Signs, frame: Frame, sink: Sink<Chunk> | undefined, watch: SilenceWatch) {
    this.#frame = frame;
    this.warn = (code, message) => signs.warn(code, message);
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
