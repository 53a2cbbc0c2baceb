/**
 * The place of an event in a run, as `epoch.seq.m.mark`. The epoch identifies one server's view of the run, in which
 * `seq` numbers the events. `m` counts the committed messages and results up to the event, which is the same on any
 * server. The mark identifies the last of these, so that another server notices if it was replaced.
 */
export interface Position {
  readonly epoch: string;
  readonly seq: number;
  readonly m: number;
  readonly mark: string;
}

export function formatPosition({ epoch, seq, m, mark }: Position): string {
  return `${epoch}.${seq}.${m}.${mark}`;
}

/** Parses a position. Returns undefined for any other text; the client then gets the run from its beginning. */
export function parsePosition(text: string | null | undefined): Position | undefined {
  const [, epoch, seq, m, mark] =
    /^([\w-]{1,40})\.(\d{1,12})\.(\d{1,12})\.([\w-]{1,40})$/.exec(text ?? '') ?? [];
  if (epoch === undefined || mark === undefined) return undefined;
  return { epoch, seq: Number(seq), m: Number(m), mark };
}
