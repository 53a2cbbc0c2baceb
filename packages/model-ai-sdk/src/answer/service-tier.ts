import type { JsonObject, JsonValue } from '@shallot/core';

import { isJsonObject } from '../sdk/metadata.ts';

/** Returns the tier in which a request was served, if the provider's own metadata names it. */
export function serviceTierIn(metadata: JsonObject | undefined): string | undefined {
  const tier = Object.values(metadata ?? {})
    .filter((value) => isJsonObject(value))
    .map((own) => own['serviceTier'] ?? own['service_tier'] ?? tierOf(own['usage']))
    .find((value) => typeof value === 'string');
  return typeof tier === 'string' ? tier : undefined;
}

function tierOf(usage: JsonValue | undefined): JsonValue | undefined {
  return isJsonObject(usage) ? usage['service_tier'] : undefined;
}
