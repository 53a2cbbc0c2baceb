const usual = 80;
const narrowest = 20;
/** The maximum width; longer lines are hard to read. */
const widest = 100;

/** Returns the columns of a terminal; the usual number if it reports none, or 0. */
export function columnsOf({ columns }: { readonly columns?: number }): number {
  return columns === undefined || columns < 1 ? usual : columns;
}

/** Returns the width for text. A narrower terminal wraps the lines itself. */
export function textWidth(terminal: { readonly columns?: number }): number {
  return Math.min(Math.max(columnsOf(terminal), narrowest), widest);
}
