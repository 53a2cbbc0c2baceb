/** The directories in which people keep skills for any agent. Later ones take precedence, and each may be missing. */
export const usualSources = ['/.claude/skills', '/.agents/skills', '/skills'] as const;

/** Returns true for the usual sources, which apply if the options name none. */
export function areUsual(sources: readonly string[]): boolean {
  return sources.join('\n') === usualSources.join('\n');
}
