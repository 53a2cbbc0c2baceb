import type { FaultyProject } from './faulty-project.ts';

/**
 * Returns the faults whose reports name no place, and those without advice that a test follows. Of each kind, two in a
 * hundred are allowed.
 */
export function tooManyExceptions(projects: readonly FaultyProject[]): string[] {
  const without = (member: 'at' | 'obey'): string[] =>
    projects.flatMap((project) => (project[member] === undefined ? [`${member}: ${project.fault}`] : []));
  return [without('at'), without('obey')].flatMap((list) => (list.length * 50 > projects.length ? list : []));
}
