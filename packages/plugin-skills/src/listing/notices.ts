import { createHash } from 'node:crypto';

import type { RunInfo } from '@shallot/core';

import type { SkillNotice } from '../finding/load-skills.ts';
import type { SkillList } from './skill-list.ts';

/** The maximum number of notices of each kind. */
const maxTold = 20;

/** Digests by list, so that no list is processed twice. */
const digests = new WeakMap<SkillList, string>();

/**
 * Returns a digest of a session's notices, by which they are reported only once; equal notices have equal digests. It is
 * empty if there is nothing to report.
 */
export function digestNotices(notices: readonly SkillNotice[], list: SkillList): string {
  if (notices.length === 0 && list.cutTo === undefined) return '';
  let digest = digests.get(list);
  if (digest === undefined) {
    const said = JSON.stringify([notices, list.cutTo, list.undescribed, list.unnamed]);
    digest = createHash('sha256').update(said).digest('base64url').slice(0, 16);
    digests.set(list, digest);
  }
  return digest;
}

/** Reports problems: events for skills that others replace, warnings for the rest, some of each. */
export function tellNotices(run: RunInfo, notices: readonly SkillNotice[], list: SkillList): void {
  const shadowed = notices.filter((notice) => notice.kind === 'shadowed');
  const rest = notices.filter((notice) => notice.kind !== 'shadowed');
  const nested = rest.filter(({ kind }) => kind === 'nested');
  const others = rest.filter(({ kind }) => kind !== 'nested');
  for (const { name, path, by } of shadowed.slice(0, maxTold)) run.event('shadowed', { name, path, by });
  for (const { kind, path, reason } of others.slice(0, maxTold)) {
    if (kind === 'skipped') run.warn('SKIPPED', `${path} is skipped: ${reason}.`);
    else run.warn('ODD', `${path}: ${reason}.`);
  }
  const [first] = nested;
  if (first !== undefined) {
    const which = nested.length === 1 ? first.path : `${first.path} and ${nested.length - 1} more`;
    run.warn(
      'NESTED',
      `${which}: within another skill, and not a skill of its own. Move it out to use it as one.`,
    );
  }
  const more = Math.max(0, shadowed.length - maxTold) + Math.max(0, others.length - maxTold);
  if (more > 0) {
    run.warn(
      'MORE',
      `${more} more skills are skipped, have problems or are replaced; see shallot skills list.`,
    );
  }
  if (list.cutTo !== undefined) run.warn('LIST_CUT', cutWarning(list.cutTo, list));
}

function cutWarning(cutTo: number, { undescribed = 0, unnamed = 0 }: SkillList): string {
  const what =
    cutTo > 0
      ? `long descriptions are cut to ${cutTo} characters${undescribed === 0 ? '' : `, and ${undescribed} skills have none`}`
      : unnamed === 0
        ? 'only their names are listed'
        : `only names are listed, and ${unnamed} skills are not listed`;
  return `There are so many skills that ${what}; the model finds the rest by words. Raise maxListChars, or name fewer sources.`;
}
