import { createHash } from 'node:crypto';

/**
 * Returns a digest of all settings that determine the endpoint and credentials of requests. It is equal in every
 * process, and does not reveal them. Undefined if the settings contain a function, since functions cannot be compared.
 */
export function endpointOf(settings: unknown): string | undefined {
  let isComparable = true;
  const text = JSON.stringify(settings, (_key, value: unknown) => {
    if (typeof value === 'function') isComparable = false;
    return value;
  });
  return isComparable ? createHash('sha256').update(text).digest('base64url').slice(0, 16) : undefined;
}
