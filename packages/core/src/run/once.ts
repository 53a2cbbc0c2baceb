import { handled } from '../base/handled.ts';
import { isPromise } from '../base/is-promise.ts';
import { freezeJson } from '../base/json.ts';
import { journalEntry } from '../sessions/journal-change.ts';
import type { ActiveRun } from './active-run.ts';
import { regainClaim } from './regain-claim.ts';

/** What `once` gives is committed before it is returned; a second call gets the committed value. */
export function once<T>(run: ActiveRun, key: string, plugin: string, fn: () => T | Promise<T>): Promise<T> {
  return handled(keep(run, key, plugin, fn));
}

async function keep<T>(run: ActiveRun, key: string, plugin: string, fn: () => T | Promise<T>): Promise<T> {
  const known = run.session.journalled(key);
  // Only `once` writes entries under such a key, with a value of the same function.
  if (known?.type === 'once') return known.value as T;
  return run.current.pauseFor(make(run, key, plugin, fn));
}

async function make<T>(run: ActiveRun, key: string, plugin: string, fn: () => T | Promise<T>): Promise<T> {
  // What a hook does after its run was cut short: the session may be another run's by now.
  run.refuseOver(plugin, 'once');
  if (run.session.isClaimLapsed) await regainClaim(run);
  const made = fn();
  // What it set goes out together with its value: nothing may be committed between the two.
  const value = isPromise(made) ? await made : made;
  freezeJson(value, 'what once returns', plugin);
  run.refuseOver(plugin, 'once');
  const { current, progress } = run;
  if (current.name === 'beforeAgent') progress.moveTo(current.position ?? progress.position);
  await run.session.commit({ journal: journalEntry(key, { type: 'once', value }), run: run.toRecord() });
  return value;
}
