import type { ErrorCode } from '../base/error-codes.ts';
import { ShallotError, type SourceLocation } from '../base/errors.ts';

/**
 * Returns the warnings that plugins logged while the agent started: lines with a code that belongs to the plugin.
 * `placeOf` returns the location of a plugin in the config.
 */
export function loggedWarnings(
  lines: readonly string[],
  placeOf: (plugin: string) => SourceLocation | undefined,
): ShallotError[] {
  return lines.flatMap((line) => {
    // The log writes one JSON object per line.
    const { plugin, code, msg } = JSON.parse(line) as Readonly<Record<string, unknown>>;
    if (typeof plugin !== 'string' || !isOwnCode(code) || typeof msg !== 'string') return [];
    return [new ShallotError(code, { message: msg, plugin, at: placeOf(plugin) })];
  });
}

/** Returns true for the code of a plugin: `mcp/TOOL`. */
function isOwnCode(code: unknown): code is ErrorCode & `${string}/${string}` {
  return typeof code === 'string' && /^[^/]+\/[A-Z_]+$/.test(code);
}
