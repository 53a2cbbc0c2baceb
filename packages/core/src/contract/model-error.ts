import { ShallotError } from '../base/errors.ts';

/**
 * The codes that a model fails with, and whether the same call may succeed later. Plugins act on the code and on
 * `transient`, and so need to know no provider.
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

export type ModelErrorCode = keyof typeof modelErrors;

export interface ModelErrorInit {
  /** What happened, with the received value, then the fix. It must not contain a key. */
  readonly message: string;
  /** When to try again, in milliseconds since 1970, where the provider said so. */
  readonly retryAt?: number | undefined;
  readonly cause?: unknown;
  /** Set if a failure differs from others with its code: an untrusted certificate stays untrusted. */
  readonly transient?: boolean | undefined;
}

/** The error that a model throws; its code says whether it is transient, unless `transient` does. */
export function modelError(code: ModelErrorCode, init: ModelErrorInit): ShallotError {
  return new ShallotError(code, { ...init, transient: init.transient ?? modelErrors[code] });
}
