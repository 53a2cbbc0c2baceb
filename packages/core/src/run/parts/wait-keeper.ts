import { Ticker } from '../../base/ticker.ts';
import type { Wait } from '../../base/wait.ts';

/** How long something is waited for before that is said, in milliseconds; then after twice that time, and so on. */
export const noticeMs = 10_000;

/** How many looks come in that time. */
const looks = 4;

/** Somebody who waits, and can say so. */
export interface Waiting {
  findWaits(): readonly Wait[];
  notice(message: string, plugin: string | undefined): void;
}

interface Seen {
  readonly since: unknown;
  /** At how many looks in a row it was there, the first left out: it may have begun just before that one. */
  readonly looks: number;
  readonly noticedAt: number;
}

/** Says what runs wait for that takes long: all runs of an agent with one timer, and nothing done in between. */
export function waitKeeper(): Ticker<Waiting> {
  const seen = new WeakMap<Waiting, ReadonlyMap<object, Seen>>();
  const look = (waiting: Waiting): void => {
    const before = seen.get(waiting);
    const now = new Map<object, Seen>();
    for (const wait of waiting.findWaits()) {
      const last = before?.get(wait.by);
      now.set(
        wait.by,
        last?.since === wait.since && last !== undefined ? again(waiting, wait, last) : first(wait),
      );
    }
    seen.set(waiting, now);
  };
  return new Ticker(noticeMs / looks, look, { keepsAlive: true });
}

function first({ since }: Wait): Seen {
  return { since, looks: 0, noticedAt: looks / 2 };
}

function again(waiting: Waiting, { what, plugin, since }: Wait, last: Seen): Seen {
  const seen = last.looks + 1;
  if (seen < 2 * last.noticedAt) return { since, looks: seen, noticedAt: last.noticedAt };
  const whose = plugin === undefined ? '' : ` of ${plugin}`;
  const seconds = Math.round((seen * noticeMs) / looks / 1000);
  waiting.notice(
    `Still waiting for ${what}${whose} after ${seconds} s. The run continues when it settles; an abort ends the run.`,
    plugin,
  );
  return { since, looks: seen, noticedAt: seen };
}
