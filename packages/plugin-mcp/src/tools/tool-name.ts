import { createHash } from 'node:crypto';

import { fitsPattern } from '@shallot/core/plugin';

const allowed = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * The name that a server's tool has in the agent: `SERVER_TOOL`, or what `rename` says. One that is too long, or has other
 * characters than providers take, is cut and ends with a digest of the whole.
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

/** The first name or pattern that fits; what its star stands for takes the place of the other's. */
function renamed(tool: string, rename: Readonly<Record<string, string>>): string | undefined {
  for (const [pattern, name] of Object.entries(rename)) {
    if (!fitsPattern(pattern, tool)) continue;
    const [before = '', after] = pattern.split('*', 2);
    const starred = after === undefined ? '' : tool.slice(before.length, tool.length - after.length);
    return name.replace('*', () => starred);
  }
  return undefined;
}

/** Whether options take a tool: some pattern of `include` fits it, and none of `exclude`. */
export function isTaken(
  tool: string,
  { include, exclude }: { readonly include: readonly string[]; readonly exclude: readonly string[] },
): boolean {
  const fits = (pattern: string): boolean => fitsPattern(pattern, tool);
  return include.some(fits) && !exclude.some(fits);
}
