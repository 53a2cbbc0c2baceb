import { isJsonObject } from '../sdk/metadata.ts';

/** The longest wait. Longer ones are treated as errors of the provider. */
const maxWaitMs = 24 * 60 * 60 * 1000;

/**
 * Returns the time at which to retry, in milliseconds since 1970: from `retry-after-ms`, `retry-after` in seconds or as a
 * date (RFC 9110), Google's `RetryInfo` in the body, or OpenAI's "try again in 1.2s". Undefined if none of these is there,
 * or the wait is longer than a day.
 */
export function retryAt(
  headers: Readonly<Record<string, unknown>>,
  body: unknown,
  message: string,
  now: number = Date.now(),
): number | undefined {
  const wait =
    ofNumber(headers['retry-after-ms'], 1) ??
    ofNumber(headers['retry-after'], 1000) ??
    ofDate(headers['retry-after'], now) ??
    ofDetails(body) ??
    ofMessage(message);
  if (wait === undefined || wait > maxWaitMs) return undefined;
  return now + Math.max(0, Math.ceil(wait));
}

function ofNumber(value: unknown, unit: number): number | undefined {
  if (typeof value !== 'string' || !/^\s*\d+(?:\.\d+)?\s*$/.test(value)) return undefined;
  return Number(value) * unit;
}

function ofDate(value: unknown, now: number): number | undefined {
  // Checked for the form of an HTTP date, because Date.parse accepts almost any number as a year.
  if (typeof value !== 'string' || !/^[A-Za-z]{3,9},? /.test(value)) return undefined;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : at - now;
}

function ofDetails(body: unknown): number | undefined {
  const error = isJsonObject(body) ? body['error'] : undefined;
  const details = isJsonObject(error) ? error['details'] : undefined;
  if (!Array.isArray(details)) return undefined;
  for (const detail of details as readonly unknown[]) {
    const delay = isJsonObject(detail) ? detail['retryDelay'] : undefined;
    const seconds = typeof delay === 'string' ? /^(\d+(?:\.\d+)?)s$/.exec(delay)?.[1] : undefined;
    if (seconds !== undefined) return Number(seconds) * 1000;
  }
  return undefined;
}

function ofMessage(message: string): number | undefined {
  const [, number, unit] = /(?:try again|retry) in (\d+(?:\.\d+)?)\s*(ms|s)\b/i.exec(message) ?? [];
  return number === undefined ? undefined : Number(number) * (unit === 'ms' ? 1 : 1000);
}
