import type { JsonValue } from '../base/json.ts';
import { frozenJson } from '../base/json/frozen-json.ts';

/**
 * Parses the argument text of a tool call. Empty text means no arguments. Returns undefined for what no message can hold:
 * text that is not JSON, numbers beyond those of JavaScript, and values nested too deeply. Keep it as `raw` of the call, so
 * that the model is told.
 */
export function parseArguments(text: string): JsonValue | undefined {
  if (text.trim() === '') return {};
  try {
    // As deep as in a message, which limits the nesting.
    const [[[[value]]]] = frozenJson([[[[JSON.parse(text) as JsonValue]]]] as const, 'the arguments');
    return value;
  } catch {
    // The caller keeps the text.
    return undefined;
  }
}
