import type { ShallotError } from '@shallot/core';
import type { SourceLocation } from '@shallot/core/plugin';

import { formatPlace } from '../terminal/place.ts';
import { findingTable } from './finding-table.ts';

/** A problem, or possible problem, of a project. */
export interface Finding {
  /** An error keeps the agent from starting; a note is not counted as wrong. */
  readonly level: 'error' | 'warning' | 'note';
  readonly code: string;
  /** The plugin that causes it, as named in the config. */
  readonly plugin?: string | undefined;
  /** `file:line:column`, as far as known. */
  readonly place?: string | undefined;
  readonly reason: string;
  /** The advice; absent if the reason contains it. */
  readonly fix?: string | undefined;
}

interface Found {
  readonly code: string;
  readonly message: string;
  readonly plugin?: string | undefined;
  readonly at?: SourceLocation | undefined;
  readonly errors?: readonly ShallotError[];
}

/** Returns the finding for an error; one per error if several were reported together. */
export function findingsOf(level: 'error' | 'warning', found: Found): Finding[] {
  if (found.errors !== undefined && found.errors.length > 0) {
    return found.errors.flatMap((error) => findingsOf(level, error));
  }
  const { code, plugin, at, message } = found;
  const { fix, isNote = false } = findingTable[code] ?? {};
  return [
    { level: isNote ? 'note' : level, code, plugin, place: at && formatPlace(at), reason: message, fix },
  ];
}

/** Compares findings: by level, errors first, then by code, root causes first. */
export function byCause(a: Finding, b: Finding): number {
  return rankOf(a) - rankOf(b);
}

const ranks = new Map(Object.keys(findingTable).map((code, index) => [code, index]));

const levels: readonly Finding['level'][] = ['error', 'warning', 'note'];

function rankOf({ level, code }: Finding): number {
  return levels.indexOf(level) * 1000 + (ranks.get(code) ?? 999);
}
