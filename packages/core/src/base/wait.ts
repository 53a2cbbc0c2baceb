/** Something that a run waits for, and the owner of its code. */
export interface Wait {
  /** The identity of the wait: the same object at every check. */
  readonly by: object;
  /** A description, for example `once("charge")`. */
  readonly what: string;
  /** The plugin whose code is waited for; undefined for other code. */
  readonly plugin?: string;
  /** Changes whenever the wait has made progress. */
  readonly since?: unknown;
}
