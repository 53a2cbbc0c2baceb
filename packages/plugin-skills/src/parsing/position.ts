/** A place in a file: line and column, from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}
