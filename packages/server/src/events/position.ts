/**
 * The place of an event in a run, as `epoch.seq.m.mark`. The epoch is that of one server's view of the run, in which events
 * are numbered by `seq`; `m` counts the committed messages and results before and with it, for any server, and the mark
 * names the last of them, so that another server sees that it was replaced.
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

/** Returns undefined for anything that is no position; a client then gets the run from its beginning. */
export function parsePosition(text: string | null | undefined): Position | undefined {
  const [, epoch, seq, m, mark] =
    /^([\w-]{1,40})\.(\d{1,12})\.(\d{1,12})\.([\w-]{1,40})$/.exec(text ?? '') ?? [];
  if (epoch === undefined || mark === undefined) return undefined;
  return { epoch, seq: Number(seq), m: Number(m), mark };
}
