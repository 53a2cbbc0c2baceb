import { Ticker } from '../../base/ticker.ts';
import type { Wait } from '../../base/wait.ts';

/**
 * The time after which a wait is first reported, in milliseconds; it is reported again after twice that time, and so
 * on.
 */
export const noticeMs = 10_000;

/** Checks per `noticeMs`. */
const looks = 4;

/** A run that can report its waits. */
export interface WaitSource {
  findWaits(): readonly Wait[];
  notice(message: string, plugin: string | undefined): void;
}

interface Seen {
  readonly since: unknown;
  /**
   * The number of consecutive checks that found the wait, not counting the first: the wait may have begun just before it.
   */
  readonly looks: number;
  readonly noticedAt: number;
}

/** Reports long waits of all runs of an agent, with one timer. Waits are looked up only when it fires. */
export function waitReporter(): Ticker<WaitSource> {
  const seen = new WeakMap<WaitSource, ReadonlyMap<object, Seen>>();
  const look = (source: WaitSource): void => {
    const before = seen.get(source);
    const now = new Map<object, Seen>();
    for (const wait of source.findWaits()) {
      const last = before?.get(wait.by);
      now.set(
        wait.by,
        last?.since === wait.since && last !== undefined ? again(source, wait, last) : first(wait),
      );
    }
    seen.set(source, now);
  };
  return new Ticker(noticeMs / looks, look, { keepsAlive: true });
}

function first({ since }: Wait): Seen {
  return { since, looks: 0, noticedAt: looks / 2 };
}

function again(source: WaitSource, { what, plugin, since }: Wait, last: Seen): Seen {
  const seen = last.looks + 1;
  if (seen < 2 * last.noticedAt) return { since, looks: seen, noticedAt: last.noticedAt };
  const whose = plugin === undefined ? '' : ` of ${plugin}`;
  const seconds = Math.round((seen * noticeMs) / looks / 1000);
  source.notice(
    `Still waiting for ${what}${whose} after ${seconds} s. The run continues when it settles; an abort ends the run.`,
    plugin,
  );
  return { since, looks: seen, noticedAt: seen };
}
