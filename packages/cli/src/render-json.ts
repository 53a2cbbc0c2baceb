import { isShallotError, messageOf } from '@shallot/core';

import { formatPlace } from './place.ts';
import type { Renderer } from './renderer.ts';
import type { Screen } from './screen.ts';

/** Every event as a line of JSON on stdout, and `{ type: 'error', error }` as the last one of a run that did not end well. */
export function jsonRenderer(screen: Screen): Renderer {
  return {
    event: (event) => screen.line(toJson(event)),
    // The event `run-end` has said it.
    end: () => undefined,
    failed: (error) => screen.line(toJson({ type: 'error', error: errorFields(error) })),
  };
}

/** JSON in which errors are objects with `code`, `message` and what else is known. */
export function toJson(value: unknown, indent?: number): string {
  return JSON.stringify(
    value,
    (_key, item: unknown) => (item instanceof Error ? errorFields(item) : item),
    indent,
  );
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
