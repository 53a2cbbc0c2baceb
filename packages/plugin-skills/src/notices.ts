import { createHash } from 'node:crypto';

import type { RunInfo } from '@shallot/core';

import type { SkillNotice } from './load-skills.ts';
import type { SkillList } from './skill-list.ts';

/** As many as a person reads. */
const maxWarnings = 20;

/** What a session was told, so that it is told once; the same for the same notices. */
export function digestNotices(notices: readonly SkillNotice[], { cutTo, unnamed }: SkillList): string {
  if (notices.length === 0 && cutTo === undefined) return '';
  return createHash('sha256')
    .update(JSON.stringify([notices, cutTo, unnamed]))
    .digest('base64url')
    .slice(0, 16);
}

/** Says what was not as it should be: an event for each skill that another replaces, a warning for the rest. */
export function tellNotices(run: RunInfo, notices: readonly SkillNotice[], list: SkillList): void {
  let warnings = 0;
  for (const notice of notices) {
    if (notice.kind === 'shadowed') {
      run.event('shadowed', { name: notice.name, path: notice.path, by: notice.by });
      continue;
    }
    warnings += 1;
    if (warnings > maxWarnings) continue;
    const { path, reason } = notice;
    if (notice.kind === 'skipped') run.warn('SKIPPED', `${path} is skipped: ${reason}.`);
    else run.warn('ODD', `${path}: ${reason}.`);
  }
  if (warnings > maxWarnings) {
    run.warn(
      'MORE',
      `${warnings - maxWarnings} more skills are skipped or have problems; see shallot skills list.`,
    );
  }
  if (list.cutTo !== undefined) run.warn('LIST_CUT', cutWarning(list.cutTo, list.unnamed ?? 0));
}

function cutWarning(cutTo: number, unnamed: number): string {
  const what =
    cutTo > 0
      ? `each description is cut to ${cutTo} characters`
      : unnamed === 0
        ? 'only their names are listed'
        : `only names are listed, and ${unnamed} skills are not listed`;
  return `There are so many skills that ${what}. Raise maxListChars, or name fewer sources.`;
}
