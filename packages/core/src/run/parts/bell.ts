/**
 * Rings when something was sent to a run. The attendant may react at once; otherwise the run reacts at its next
 * opportunity.
 */
export interface Bell {
  /** True if the bell has rung since the last `heed`. */
  isRung: boolean;
  attendant: (() => void) | undefined;
}

export function ring(bell: Bell): void {
  bell.isRung = true;
  bell.attendant?.();
}

/** Returns true if the bell has rung since the last call. */
export function heed(bell: Bell): boolean {
  const wasRung = bell.isRung;
  bell.isRung = false;
  return wasRung;
}

/** Calls `attendant` at each ring, and at once if the bell has already rung. Replaces the previous attendant. */
export function attend(bell: Bell, attendant: (() => void) | undefined): void {
  bell.attendant = attendant;
  if (bell.isRung) attendant?.();
}
