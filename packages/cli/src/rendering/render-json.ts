import { isShallotError } from '@shallot/core';
import { messageOf } from '@shallot/core/plugin';

import { formatPlace } from '../terminal/place.ts';
import type { Renderer } from '../terminal/renderer.ts';
import type { Screen } from '../terminal/screen.ts';

/**
 * Every event as a line of JSON on stdout, and `{ type: 'error', error }` as the last one of a run that did not end well.
 * Errors, warnings and events of plugins are without secrets; messages, arguments and results are as they were.
 */
export function jsonRenderer(screen: Screen): Renderer {
  const line = (value: unknown): Promise<void> =>
    screen.line(toJson(value, { redact: screen.redactor.value }));
  return {
    event: (event) =>
      line(event.type === 'warning' || event.type === 'plugin' ? screen.redactor.value(event) : event),
    // The event `run-end` has said it.
    end: () => undefined,
    failed: (error) => line({ type: 'error', error: toError(error) }),
  };
}

export interface JsonForm {
  readonly indent?: number;
  /** What becomes of errors before they are written. */
  readonly redact?: (fields: unknown) => unknown;
}

/** JSON in which errors are objects with `code`, `message` and what else is known. */
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

/** What programs may want to know of an error. The result of its run is left out: the events have it. */
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
    retryAt,
    errors: errors.length > 0 ? errors.map(errorFields) : undefined,
  };
}
