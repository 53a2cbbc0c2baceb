import type { ShallotError } from '@shallot/core';
import type { SourceLocation } from '@shallot/core/plugin';

import { formatPlace } from '../terminal/place.ts';
import { findingTable } from './finding-table.ts';

/** Something that is wrong with a project, or may be. */
export interface Finding {
  /** An error keeps the agent from starting. */
  readonly level: 'error' | 'warning';
  readonly code: string;
  /** The plugin to blame, as the config calls it. */
  readonly plugin?: string | undefined;
  /** `file:line:column`, as far as they are known. */
  readonly place?: string | undefined;
  readonly reason: string;
  readonly fix: string;
}

interface Found {
  readonly code: string;
  readonly message: string;
  readonly plugin?: string | undefined;
  readonly at?: SourceLocation | undefined;
  readonly errors?: readonly ShallotError[];
}

/** Findings of what was found: several together are several. */
export function findingsOf(level: Finding['level'], found: Found): Finding[] {
  if (found.errors !== undefined && found.errors.length > 0) {
    return found.errors.flatMap((error) => findingsOf(level, error));
  }
  const { code, plugin, at, message } = found;
  const fix = findingTable[code]?.fix ?? 'See the reason.';
  return [{ level, code, plugin, place: at && formatPlace(at), reason: message, fix }];
}

/** Errors before warnings; among them what can cause others first, and what belongs to one plugin in order. */
export function byCause(a: Finding, b: Finding): number {
  return rankOf(a) - rankOf(b);
}

const ranks = new Map(Object.keys(findingTable).map((code, index) => [code, index]));

function rankOf({ level, code }: Finding): number {
  return (level === 'error' ? 0 : 1000) + (ranks.get(code) ?? 999);
}
