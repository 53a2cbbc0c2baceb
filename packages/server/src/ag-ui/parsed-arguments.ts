/**
 * Returns the parsed arguments of a call, because models write the same arguments with different spaces and orders.
 * Text that is not JSON is returned unchanged.
 */
export function parsedArguments(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The text is a part of a draft, or the model wrote invalid JSON.
    return text;
  }
}
