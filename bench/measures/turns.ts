/** Does some work, and returns how long it took. */
export type Timer = () => Promise<number>;

interface TurnsEffort {
  readonly warmup: number;
  readonly samples: number;
  /** The time after which a few turns are enough. Default: no limit. */
  readonly mostMs?: number;
}

const fewestTurns = 3;
const shareOfWarmup = 0.2;

/**
 * Runs some timers in turn, after `warmup` turns that are not counted. Timers are compared within one turn, so if the
 * machine is busy for a while, that slows all of them. The timer that begins changes from turn to turn, so that none
 * always follows the same other one.
 */
export async function takeTurns<const T extends readonly Timer[]>(
  timers: T,
  { warmup, samples, mostMs = Number.POSITIVE_INFINITY }: TurnsEffort,
): Promise<{ [K in keyof T]: number }[]> {
  const turns: { [K in keyof T]: number }[] = [];
  const started = performance.now();
  for (let turn = 0; turn < warmup + samples; turn += 1) {
    const spentMs = performance.now() - started;
    if (turns.length >= fewestTurns && spentMs > mostMs) break;
    const isWarm = turn >= warmup || spentMs > mostMs * shareOfWarmup;
    const times = timers.map(() => 0);
    for (let place = 0; place < timers.length; place += 1) {
      const index = (turn + place) % timers.length;
      times[index] = (await timers[index]?.()) ?? Number.NaN;
    }
    // By now there is one time for each timer.
    if (isWarm) turns.push(times as { [K in keyof T]: number });
  }
  return turns;
}
