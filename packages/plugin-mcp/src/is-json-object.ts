import type { JsonObject } from '@shallot/core';

/** Whether a value that came out of JSON is an object. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
