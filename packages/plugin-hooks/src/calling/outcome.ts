import type { JsonObject, JsonValue } from '@shallot/core';
import { isJsonObject } from '@shallot/core/plugin';

/** The outcome of a hook, as it is stored. */
export type Outcome =
  /** The hook succeeded. `output` is its JSON, `text` anything else that it printed. */
  | { readonly is: 'said'; readonly output: JsonObject; readonly text: string }
  | { readonly is: 'blocked'; readonly reason: string }
  | { readonly is: 'failed'; readonly reason: string };

/** The longest reason or context that is passed on, in characters. */
const maxText = 10_000;

/**
 * Reads the output of a hook that ended without an error. It counts as failed if the output is too long, or is invalid
 * where it begins like JSON.
 */
export function readOutput(text: string, isCut: boolean): Outcome {
  const trimmed = text.trim();
  if (isCut) return failed('it printed more than 1,000,000 bytes');
  if (!trimmed.startsWith('{')) return { is: 'said', output: {}, text: clip(trimmed) };
  try {
    const output: unknown = JSON.parse(trimmed);
    // `JSON.parse` returns JSON.
    if (isJsonObject(output as JsonValue)) return { is: 'said', output: output as JsonObject, text: '' };
    return failed('it printed JSON other than an object');
  } catch {
    // Invalid JSON is a failure of the hook, not of the run.
    return failed(`it printed something other than JSON: ${JSON.stringify(clip(trimmed, 200))}`);
  }
}

export function failed(reason: string): Outcome {
  return { is: 'failed', reason };
}

export function blocked(reason: string): Outcome {
  const text = clip(reason.trim());
  return { is: 'blocked', reason: text === '' ? 'it gave no reason' : text };
}

export function clip(text: string, length = maxText): string {
  return text.length <= length ? text : `${text.slice(0, length)}…`;
}
