/** A break that changes nothing that a test could see, with the proof. */
interface EquivalentBreak {
  readonly file: string;
  /** The line as it reads with the break, without its indentation. */
  readonly broken: string;
  readonly proof: string;
}

/** Breaks that are drawn again. */
export const equivalentBreaks: readonly EquivalentBreak[] = [];
