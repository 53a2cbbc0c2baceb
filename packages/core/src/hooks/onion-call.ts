import type { Address } from '../base/address.ts';
import type { ShallotError } from '../base/errors.ts';
import type { AnySchema, Schema, SchemaOutput } from '../base/schema.ts';
import type { Edit, Scope, ToolScope, WrapRun } from '../contract/hooks.ts';
import type { InterruptRequest } from '../contract/interrupt.ts';
import type { MessageInput } from '../contract/messages.ts';
import type { ChildOptions, ChildResult } from '../contract/work/child.ts';
import type { Frame } from './frame.ts';
import type { HookedRun } from './in-hook-time.ts';
import type { LiveTap } from './live-tap.ts';
import type { Sink } from './sink.ts';
import type { WatchedCall } from './watcher.ts';

/** The part of an onion call that a layer's scope needs. */
export interface AnyOnionCall extends WatchedCall {
  readonly run: HookedRun;
  readonly address: Address;
  readonly resumed: boolean;
  readonly origin: Scope['origin'];
  /** Set if the layers are gates. */
  readonly gates?: GateScope;
  /** True if the call waits for an answer: its layers will run again, and need the results of what has begun. */
  readonly hasOpenQuestion: boolean;
  /** Reports an error that no caller can receive. */
  report(error: ShallotError): void;
  runFor(tap: LiveTap): WrapRun;
  interrupt<S extends Schema>(tap: LiveTap, request: InterruptRequest<S>): Promise<SchemaOutput<S>>;
  /** Runs a child of a layer; `ordinal` numbers the children of this entry of the layer. */
  child<S extends AnySchema>(
    tap: LiveTap,
    at: { readonly ordinal: number; readonly frame: Frame },
    options: ChildOptions<S>,
  ): Promise<ChildResult<SchemaOutput<S>>>;
  once<T>(tap: LiveTap, attempt: number, key: string, fn: () => T | Promise<T>): Promise<T>;
  replaceMessages(tap: LiveTap, messages: readonly MessageInput[]): void;
}

/** Data that the scope of a gate has, and that of a layer lacks. */
export interface GateScope {
  /** The ordinal of the execution to decide on. */
  readonly attempt: number;
  readonly edit: Edit | undefined;
  readonly output: ToolScope['output'];
  readonly display: ToolScope['display'];
  readonly check: NonNullable<ToolScope['check']>;
}

/** Behavior of gates that differs from layers. */
export interface GateRules<Request, Response> extends GateScope {
  /** Continues behind the gate at `index` with the request that it passed to `next`. */
  pass(index: number, request: Request, outer: Frame): Promise<Response>;
  /** Returns the result for a failed gate; rethrows an error that is not the gate's. */
  rescue(tap: LiveTap, error: unknown): Response;
}

/** The run's side of one onion call: the core, and the implementation of `scope`. */
export interface OnionCall<Request, Response, C> extends AnyOnionCall {
  readonly gates?: GateRules<Request, Response>;
  /**
   * Calls the core: the model or the tool. The returned promise never causes an unhandled rejection, because a layer
   * may ignore it.
   */
  core(request: Request, frame: Frame, sink: Sink<C> | undefined): Promise<Response>;
  /** Validates and completes the request that a layer passes to `next`. */
  acceptRequest(tap: LiveTap, passed: unknown, given: Request): Request;
  /** Validates and completes the response that a layer returns. */
  acceptResponse(tap: LiveTap, returned: unknown): Response;
  /** Notes which tap threw. Called inside out; only the first note counts. */
  blame(tap: LiveTap, error: unknown): void;
  /** Called when a layer calls `next` again. Discards a `replaceMessages` of layers further inside. */
  startedOver(tap: LiveTap): void;
  /** The chunk sent before a layer calls `next` again; undefined for chunk types without a restart. */
  readonly restart: C | undefined;
}
