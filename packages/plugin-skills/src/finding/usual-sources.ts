/** The places where people keep skills, whatever their agent is; our own counts most. Each of them may be missing. */
export const usualSources = ['/.claude/skills', '/.agents/skills', '/skills'] as const;

/** True for the sources of an entry that names none. */
export function areUsual(sources: readonly string[]): boolean {
  return sources.join('\n') === usualSources.join('\n');
}
