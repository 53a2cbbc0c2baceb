/** Rings when something was sent to a run. Whatever is at work may attend to it; else the run heeds it at its next occasion. */
export interface Bell {
  /** True if it has rung since it was heeded. */
  isRung: boolean;
  attendant: (() => void) | undefined;
}

export function ring(bell: Bell): void {
  bell.isRung = true;
  bell.attendant?.();
}

/** Returns true if it has rung since the last call. */
export function heed(bell: Bell): boolean {
  const wasRung = bell.isRung;
  bell.isRung = false;
  return wasRung;
}

/** Calls `attendant` at each ring, and now if it has rung. Takes the place of the one before. */
export function attend(bell: Bell, attendant: (() => void) | undefined): void {
  bell.attendant = attendant;
  if (bell.isRung) attendant?.();
}
