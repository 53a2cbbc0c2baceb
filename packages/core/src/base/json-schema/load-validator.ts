let isExpected = false;

/** Notes that a schema exists whose every check needs the validator. */
export function expectValidator(): void {
  isExpected = true;
}

/**
 * Starts loading the JSON Schema validator when a value is about to arrive and the validator will be needed. Other
 * programs load it only for values that do not pass the fast check.
 */
export function loadValidator(): void {
  // The check itself reports a failure to load.
  if (isExpected) import('@cfworker/json-schema').catch(() => undefined);
}
