/** The verdict of a classifier about a piece of text. */
export interface Verdict {
  readonly flagged: boolean;
  /** The reason, for people and for the model. */
  readonly reason?: string | undefined;
}

/** Reads a verdict. @throws an error for anything else */
export function readVerdict(value: unknown): Verdict {
  const flagged: unknown =
    typeof value === 'object' && value !== null ? Reflect.get(value, 'flagged') : undefined;
  if (typeof value !== 'object' || value === null || typeof flagged !== 'boolean')
    throw new Error('it returned no verdict; return { flagged: true or false, reason }');
  const reason: unknown = Reflect.get(value, 'reason');
  return {
    flagged,
    reason: typeof reason === 'string' && reason !== '' ? reason.slice(0, 1000).toWellFormed() : undefined,
  };
}
