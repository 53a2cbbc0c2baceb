import type { ShallotError } from '../base/errors.ts';
import type { Schema, SchemaOutput } from '../base/schema.ts';
import type { Edit, Scope, ToolScope, WrapRun } from '../contract/hooks.ts';
import type { InterruptRequest } from '../contract/interrupt.ts';
import type { MessageInput } from '../contract/messages.ts';
import type { Frame } from './frame.ts';
import type { HookedRun } from './in-hook-time.ts';
import type { LiveTap } from './live-tap.ts';
import type { Sink } from './sink.ts';
import type { WatchedCall } from './watcher.ts';

/** What the scope of a layer needs of the call of its onion. */
export interface AnyOnionCall extends WatchedCall {
  readonly run: HookedRun;
  readonly resumed: boolean;
  readonly origin: Scope['origin'];
  /** Set when the layers are gates. */
  readonly gates?: GateScope;
  /** Reports an error that no layer can be told of any more. */
  report(error: ShallotError): void;
  runFor(tap: LiveTap): WrapRun;
  interrupt<S extends Schema>(tap: LiveTap, request: InterruptRequest<S>): Promise<SchemaOutput<S>>;
  once<T>(tap: LiveTap, attempt: number, key: string, fn: () => T | Promise<T>): Promise<T>;
  replaceMessages(tap: LiveTap, messages: readonly MessageInput[]): void;
}

/** What gates are told beside what layers are. */
export interface GateScope {
  /** The ordinal of the execution that is decided about. */
  readonly attempt: number;
  readonly edit: Edit | undefined;
  readonly output: ToolScope['output'];
  readonly display: ToolScope['display'];
  readonly check: NonNullable<ToolScope['check']>;
}

/** What gates do otherwise than layers. */
export interface GateRules<Request, Response> extends GateScope {
  /** Goes on from a gate with what it has passed on. */
  pass(index: number, request: Request, outer: Frame): Promise<Response>;
  /** What comes of a gate that failed; throws what is none of its failures. */
  rescue(tap: LiveTap, error: unknown): Response;
}

/** What one call of an onion needs from the run: the innermost handler, and the services behind `scope`. */
export interface OnionCall<Request, Response, C> extends AnyOnionCall {
  readonly gates?: GateRules<Request, Response>;
  /**
   * The innermost handler. When what it gives rejects, that is handled: a layer that does not wait for what it let through
   * must not be able to leave a rejection behind.
   */
  core(request: Request, frame: Frame, sink: Sink<C> | undefined): Promise<Response>;
  /** Checks what a layer passes on, and completes it. Throws for junk. */
  acceptRequest(tap: LiveTap, passed: unknown, given: Request): Request;
  /** Throws when a layer returned junk. */
  acceptResponse(tap: LiveTap, returned: unknown): Response;
  /** Notes who threw; called inside out, so that the first note is the right one. */
  blame(tap: LiveTap, error: unknown): void;
  /** A layer calls `next` again: what was arranged further in holds no more. */
  startedOver(tap: LiveTap): void;
  /** What a sink is told before the layers inside start over; undefined for chunks that know no restart. */
  readonly restart: C | undefined;
}
