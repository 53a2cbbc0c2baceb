import { handled } from '../base/handled.ts';
import { isPromise } from '../base/is-promise.ts';
import { frozenJson } from '../base/json/frozen-json.ts';
import { journalEntry } from '../sessions/content/change-draft.ts';
import { sealed, unsealed } from './input/hidden.ts';
import { regainClaim } from './regain-claim.ts';
import type { RunParts } from './run-parts.ts';

/**
 * Runs a function once per run and key: commits its result before returning it, and returns the committed value to
 * later calls.
 */
export function once<T>(run: RunParts, key: string, plugin: string, fn: () => T | Promise<T>): Promise<T> {
  return handled(resolveOnce(run, key, plugin, fn));
}

async function resolveOnce<T>(
  run: RunParts,
  key: string,
  plugin: string,
  fn: () => T | Promise<T>,
): Promise<T> {
  const known = run.record.session.journalled(key);
  // Only `once` writes journal entries under these keys.
  if (known?.type === 'once') return unsealed(run.plugins, known.value) as T;
  return run.life.hook.pauseFor(runAndCommit(run, key, plugin, fn));
}

async function runAndCommit<T>(
  run: RunParts,
  key: string,
  plugin: string,
  fn: () => T | Promise<T>,
): Promise<T> {
  // After the run has ended, the session may belong to another run.
  run.life.throwIfOver(plugin, 'once');
  while (!run.record.session.isHeld) await regainClaim(run);
  const returned = fn();
  // State that the function sets is part of the same commit as its value, so nothing may be committed in between.
  const value = frozenJson(isPromise(returned) ? await returned : returned, 'what once returns', plugin);
  run.life.throwIfOver(plugin, 'once');
  run.record.progress.keepAsked();
  await run.record.session.commit({
    journal: journalEntry(key, { type: 'once', value: sealed(run.plugins, value) }),
    run: run.record.toRecord(),
  });
  return value;
}
