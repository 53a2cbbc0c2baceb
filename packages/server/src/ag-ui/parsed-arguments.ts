/** Returns the arguments of a call, which models write with other spaces and orders. Text that is no JSON is returned as it is. */
export function parsedArguments(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Half of a draft, or what the model wrote wrongly.
    return text;
  }
}
