import { ShallotError, type SourceLocation } from '../base/errors.ts';
import type { ChatModel } from './model.ts';

/**
 * The error codes of models; true means that the same call may succeed later. Plugins rely on the code and on
 * `transient`, not on the provider.
 */
export const modelErrors = Object.freeze({
  MODEL_RATE_LIMITED: true,
  MODEL_OVERLOADED: true,
  MODEL_NETWORK: true,
  MODEL_STREAM_BROKEN: true,
  MODEL_IDLE: true,
  MODEL_EMPTY: true,
  MODEL_CONTEXT_OVERFLOW: false,
  MODEL_AUTH: false,
  MODEL_BAD_REQUEST: false,
  MODEL_CONTENT_FILTERED: false,
  MODEL_RESPONSE: false,
  MODEL_FAILED: false,
});

/** A code that a model fails with. `modelErrors` lists the codes that are transient by default. */
export type ModelErrorCode = keyof typeof modelErrors;

/** The parts of an error of a model. */
export interface ModelErrorInit {
  /** The fault, with the received value, then the fix. It must not contain a key. */
  readonly message: string;
  /** The time at which to retry, in milliseconds since 1970, if the provider reported it. */
  readonly retryAt?: number | undefined;
  readonly cause?: unknown;
  /** The place in the config that names the model. */
  readonly at?: SourceLocation | undefined;
  /** Overrides the default of the code: an untrusted certificate, for example, is not transient. */
  readonly transient?: boolean | undefined;
}

/** The places of models in configs. */
const places = new WeakMap<ChatModel, SourceLocation>();

/** Notes the place of a model in a config, for errors about it. Returns the model. */
export function placeModel(model: ChatModel, at: SourceLocation): ChatModel {
  places.set(model, at);
  return model;
}

/** Returns the place of a model in a config; undefined for a model that a program made. */
export function placeOfModel(model: ChatModel): SourceLocation | undefined {
  return places.get(model);
}

/** Returns an error for a model to throw; the code determines `transient` unless it is given. */
export function modelError(code: ModelErrorCode, init: ModelErrorInit): ShallotError {
  return new ShallotError(code, { ...init, transient: init.transient ?? modelErrors[code] });
}
