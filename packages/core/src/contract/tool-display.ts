/**
 * Determines if a call is repeated after a crash when it is unknown whether the call took effect: `read` has no effect,
 * `idempotent` has the same effect once or twice, `write` is repeated only after asking.
 */
export type ToolEffect = 'read' | 'idempotent' | 'write';

/** The kinds of tools, for clients that show calls; the terms of the Agent Client Protocol. */
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

/** A location that a call touches: a path as in the tool's arguments, and optionally a line, from 1. */
export interface ToolLocation {
  readonly path: string;
  readonly line?: number;
}

/** Data about a tool and a call for clients. Events and interrupts contain it. */
export interface ToolDisplay {
  /** The tool's name for people. */
  readonly title?: string;
  readonly kind?: ToolKind;
  readonly effect: ToolEffect;
  /** The locations that the call touches. */
  readonly locations?: readonly ToolLocation[];
}
