/**
 * Determines whether a call is repeated if it is unknown whether an earlier one took effect (the process died): `read`
 * has no effect, `idempotent` has the same effect once or twice, `write` is never repeated unasked.
 */
export type ToolEffect = 'read' | 'idempotent' | 'write';

/** The kinds of tools, for those who show calls: the words of the Agent Client Protocol. */
export const toolKinds = [
  'read',
  'edit',
  'delete',
  'move',
  'search',
  'execute',
  'think',
  'fetch',
  'other',
] as const;

export type ToolKind = (typeof toolKinds)[number];

/** A place that a call touches: a path as the tool's arguments write it, perhaps with a line, from 1. */
export interface ToolLocation {
  readonly path: string;
  readonly line?: number;
}

/** A tool and one call of it as clients show them. Events and interrupts carry it. */
export interface ToolDisplay {
  /** The tool's name for people. */
  readonly title?: string;
  readonly kind?: ToolKind;
  readonly effect: ToolEffect;
  /** The places that the call touches. */
  readonly locations?: readonly ToolLocation[];
}
