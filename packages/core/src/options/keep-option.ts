import type { Keep } from '../contract/work/work-defaults.ts';
import type { AnyOption } from './option.ts';
import { option } from './options-schema.ts';

const duration = option.text('a number with h, d or w, such as 12h, 30d or 2w', /^[1-9]\d{0,4}[hdw]$/);

/** The time for which ended sessions are kept. Sessions whose run is in progress or due are always kept. */
export const keepOption = option.object({
  completed: duration,
  failed: duration,
  aborted: duration,
  interrupted: duration,
  parked: duration,
} satisfies Record<keyof Keep, AnyOption>);

const unitMs = { h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** Returns the milliseconds of a duration that `keepOption` accepts. */
export function durationMs(text: string): number {
  // The pattern allows no other units.
  return Number(text.slice(0, -1)) * unitMs[text.slice(-1) as keyof typeof unitMs];
}
