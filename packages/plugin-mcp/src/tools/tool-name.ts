import { createHash } from 'node:crypto';

import { fitsPattern } from '@shallot/core/plugin';

const allowed = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * Returns the name of a server's tool in the agent: `SERVER_TOOL`, or by `rename`. A name that is too long or has
 * characters that providers reject is shortened, and ends in a digest of the full name.
 */
export function toolNameFor(
  server: string,
  tool: string,
  rename: Readonly<Record<string, string>> = {},
): string {
  const whole = renamed(tool, rename) ?? `${server}_${tool}`;
  if (allowed.test(whole)) return whole;
  const digest = createHash('sha256').update(whole).digest('hex').slice(0, 8);
  return `${whole.replaceAll(/[^A-Za-z0-9_-]/gu, '_').slice(0, 55)}_${digest}`;
}

/**
 * Applies the first matching name or pattern; the text matched by its star replaces the star of the new name. Undefined if
 * none matches.
 */
function renamed(tool: string, rename: Readonly<Record<string, string>>): string | undefined {
  for (const [pattern, name] of Object.entries(rename)) {
    if (!fitsPattern(pattern, tool)) continue;
    const [before = '', after] = pattern.split('*', 2);
    const starred = after === undefined ? '' : tool.slice(before.length, tool.length - after.length);
    return name.replace('*', () => starred);
  }
  return undefined;
}

/** Returns true if options select a tool: it matches `include`, and not `exclude`. */
export function isTaken(
  tool: string,
  { include, exclude }: { readonly include: readonly string[]; readonly exclude: readonly string[] },
): boolean {
  const fits = (pattern: string): boolean => fitsPattern(pattern, tool);
  return include.some(fits) && !exclude.some(fits);
}
