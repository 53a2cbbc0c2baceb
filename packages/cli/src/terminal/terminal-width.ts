const usual = 80;
const narrowest = 20;
/** Longer lines are hard to read. */
const widest = 100;

/** The columns of a terminal; of one that does not know (0, for instance), as many as one usually has. */
export function columnsOf({ columns }: { readonly columns?: number }): number {
  return columns === undefined || columns < 1 ? usual : columns;
}

/** How wide text is set. A terminal that is narrower breaks the lines itself. */
export function textWidth(terminal: { readonly columns?: number }): number {
  return Math.min(Math.max(columnsOf(terminal), narrowest), widest);
}
