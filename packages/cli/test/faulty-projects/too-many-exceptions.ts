import type { FaultyProject } from './faulty-project.ts';

/**
 * Returns the faults whose reports have no place, and those with no advice that a test applies; of each kind, two in a
 * hundred may be left out.
 */
export function tooManyExceptions(projects: readonly FaultyProject[]): string[] {
  const without = (member: 'at' | 'obey'): string[] =>
    projects.flatMap((project) => (project[member] === undefined ? [`${member}: ${project.fault}`] : []));
  return [without('at'), without('obey')].flatMap((list) => (list.length * 50 > projects.length ? list : []));
}
