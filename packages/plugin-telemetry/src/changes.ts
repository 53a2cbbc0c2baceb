/** What a layer made different, as JSON: only what changed is there. */
export interface LayerChanges {
  /** What it passed on or returned, against what it was given. */
  readonly request?: Readonly<Record<string, unknown>>;
  /** For an onion's layer: what it returned, against what came back from further in. */
  readonly response?: Readonly<Record<string, unknown>>;
}
