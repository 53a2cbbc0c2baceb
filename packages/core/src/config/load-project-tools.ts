import type * as projectTools from './project-tools.ts';

/** What changes the packages and the config of a project: the tools of the command. */
export type ProjectTools = typeof projectTools;

/** Loads these tools, and the parsers that they need: an agent has no use for them. */
export async function loadProjectTools(): Promise<ProjectTools> {
  return import('./project-tools.ts');
}
