import type { projectTools } from './project-tools.ts';

/** What looks at the packages of a project and changes its config: the tools of the command. */
export type ProjectTools = typeof projectTools;

/** Loads these tools, and the parsers that they need: an agent has no use for them. */
export async function loadProjectTools(): Promise<ProjectTools> {
  return (await import('./project-tools.ts')).projectTools;
}
