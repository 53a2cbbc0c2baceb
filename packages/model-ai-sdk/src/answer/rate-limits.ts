import type { JsonObject } from '@shallot/core';

type Limits = Record<string, Record<string, number>>;

/**
 * Header names: `x-ratelimit-remaining-requests` of OpenAI, Azure, Groq and others,
 * `anthropic-ratelimit-requests-remaining` of Anthropic.
 */
const names = [
  /^x-ratelimit-(?<what>limit|remaining|reset)-(?<of>[a-z-]+)$/,
  /^anthropic-ratelimit-(?<of>[a-z-]+)-(?<what>limit|remaining|reset)$/,
];
const counted = /^(?:requests|(?:input-|output-)?tokens)$/;

/** Returns the limits of the account that the headers of a response report; undefined if there are none. No header is kept. */
export function rateLimitsIn(
  headers: Readonly<Record<string, string>> | undefined,
  now: number,
): JsonObject | undefined {
  const limits: Limits = {};
  for (const [name, value] of Object.entries(headers ?? {})) {
    const { what, of = '' } = names.map((each) => each.exec(name.toLowerCase())).find(Boolean)?.groups ?? {};
    if (what === undefined || !counted.test(of)) continue;
    const number = what === 'reset' ? resetAt(value, now) : Number(value.trim() || Number.NaN);
    if (number === undefined || !Number.isFinite(number) || number < 0) continue;
    const key = of.replace(/-t/, 'T');
    (limits[key] ??= {})[what === 'reset' ? 'resetsAt' : what] = number;
  }
  return Object.keys(limits).length === 0 ? undefined : limits;
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * Reads a time as Anthropic writes it, a duration such as `6m0.5s`, or a number of seconds. Returns milliseconds since
 * 1970; undefined for any other text.
 */
function resetAt(value: string, now: number): number | undefined {
  const text = value.trim();
  if (/^\d+(?:\.\d+)?$/.test(text)) return Math.round(now + Number(text) * 1000);
  if (/^(?:\d+(?:\.\d+)?(?:ms|[smhd]))+$/.test(text)) {
    const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|[smhd])/g)];
    return Math.round(
      now + parts.reduce((sum, [, count, unit = 's']) => sum + Number(count) * (units[unit] ?? 0), 0),
    );
  }
  const time = /^\d{4}-/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}
