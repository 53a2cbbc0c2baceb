import { isShallotError } from '@shallot/core';
import { messageOf } from '@shallot/core/plugin';

import { formatPlace } from '../terminal/place.ts';
import type { Renderer } from '../terminal/renderer.ts';
import type { Screen } from '../terminal/screen.ts';
import { isoTime } from './iso-time.ts';

/**
 * Prints each event as a JSON line, and `{ type: 'error', error }` as the last line of a failed run. Errors, warnings
 * and plugin events are redacted; messages, arguments and results are not.
 */
export function jsonRenderer(screen: Screen): Renderer {
  const line = (value: unknown): Promise<void> =>
    screen.line(toJson(value, { redact: screen.redactor.value }));
  return {
    event: (event) =>
      line(event.type === 'warning' || event.type === 'plugin' ? screen.redactor.value(event) : event),
    // The event `run-end` already contains the result.
    end: () => undefined,
    failed: (error) => line({ type: 'error', error: toError(error) }),
  };
}

export interface JsonForm {
  readonly indent?: number;
  /** Redacts errors before they are written. */
  readonly redact?: (fields: unknown) => unknown;
}

/** Returns JSON in which errors are objects with `code`, `message` and other known fields. */
export function toJson(value: unknown, { indent, redact = (fields) => fields }: JsonForm = {}): string {
  return JSON.stringify(
    value,
    (_key, item: unknown) => (item instanceof Error ? redact(errorFields(item)) : item),
    indent,
  );
}

function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(messageOf(thrown));
}

/** Returns the fields of an error for programs, without the run's result, which the events contain. */
function errorFields(error: unknown): Record<string, unknown> {
  if (!isShallotError(error)) return { message: messageOf(error) };
  const { code, message, plugin, hook, at, transient, retryAt, errors } = error;
  return {
    code,
    message,
    plugin,
    hook,
    at,
    place: at && formatPlace(at),
    transient,
    retryAt: retryAt === undefined ? undefined : isoTime(retryAt),
    errors: errors.length > 0 ? errors.map(errorFields) : undefined,
  };
}
