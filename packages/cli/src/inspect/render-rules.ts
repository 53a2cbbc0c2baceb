import { visible, type PermissionEvaluator } from '@shallot/core/plugin';

import { table } from './plugin-page.ts';

/**
 * Renders the rules in force in the order in which they are evaluated, with their sources and the doubts about them.
 */
export function renderRules(permissions: PermissionEvaluator): string {
  const doubts = permissions.doubts();
  const rows = permissions.rules().map(({ list, rule, from }) => {
    const found = doubts.filter((doubt) => doubt.list === list && doubt.rule === rule);
    const notes = found.map(({ kind, why }) => `${kind === 'wide' ? 'wide' : 'never decides'}: ${why}`);
    return [list, rule, from, notes.join('; ')].map(visible);
  });
  return table(rows);
}
