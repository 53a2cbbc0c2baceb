/**
 * Begins to load what checks values against plain JSON Schemas, for when it is clear that it will be needed. A program that
 * checks none never loads it.
 */
export function loadValidator(): void {
  // Whoever checks a value reports that it cannot be loaded.
  import('@cfworker/json-schema').catch(() => undefined);
}
