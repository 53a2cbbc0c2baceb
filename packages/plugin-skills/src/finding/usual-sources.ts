/** The places where people keep skills, whatever their agent is; our own counts most. Each of them may be missing. */
export const usualSources = ['/.claude/skills', '/.agents/skills', '/skills'] as const;

/** Returns true for the usual sources, which apply if the options name none. */
export function areUsual(sources: readonly string[]): boolean {
  return sources.join('\n') === usualSources.join('\n');
}
