let isExpected = false;

/** Notes that there is a schema of which every value needs the validator. */
export function expectValidator(): void {
  isExpected = true;
}

/**
 * Begins to load what checks values against plain JSON Schemas, when a value is on its way and it is clear that the validator
 * will be needed. A program whose schemas do not need it never loads it, unless a value does not fit.
 */
export function loadValidator(): void {
  // Whoever checks a value reports that it cannot be loaded.
  if (isExpected) import('@cfworker/json-schema').catch(() => undefined);
}
