/** Something that is waited for, and whose code it is. */
export interface Wait {
  /** Stands for it: the same object at every look. */
  readonly by: object;
  /** In words, `once("charge")` for instance. */
  readonly what: string;
  /** Whose it is; undefined when no plugin's. */
  readonly plugin?: string;
  /** Another value once it has made a step forward. */
  readonly since?: unknown;
}
