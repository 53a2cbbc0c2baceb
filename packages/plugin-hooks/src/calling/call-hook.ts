import type { JsonObject } from '@shallot/core';
import { fitsPattern } from '@shallot/core/plugin';

import type { Hook } from '../hook.ts';
import { checkDecisions } from './check-decisions.ts';
import { blocked, clip, failed, readOutput, type Outcome } from './outcome.ts';
import { postEvent } from './post-event.ts';
import { runCommand } from './run-command.ts';

/** The directory and the environment in which hooks run. */
export interface HookPlace {
  /** The directory of the config, in which commands start. */
  readonly directory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Names of variables that commands see beyond the usual ones. */
  readonly names: readonly string[];
}

/** Variables that most programs need, none of which holds a secret. */
const usual = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'LANG',
  'LC_*',
  'TZ',
  'TMPDIR',
  'SystemRoot',
  'COMSPEC',
  'PATHEXT',
];

/** Passes an event to a hook, and returns its outcome. Rejects only if it is aborted. */
export async function callHook(
  hook: Hook,
  input: JsonObject,
  place: HookPlace,
  signal: AbortSignal,
): Promise<Outcome> {
  return checkDecisions(hook.event, await outcomeOf(hook, input, place, signal));
}

async function outcomeOf(
  { does, timeoutMs }: Hook,
  input: JsonObject,
  place: HookPlace,
  signal: AbortSignal,
): Promise<Outcome> {
  if ('url' in does)
    return postEvent(does.url, JSON.stringify(input), { headers: does.headers, timeoutMs, signal });
  const end = await runCommand(does.command, {
    cwd: place.directory,
    env: environment(place),
    input: JSON.stringify(input),
    timeoutMs,
    signal,
  });
  if ('problem' in end) return failed(`${end.problem}${saidBy(end.stderr)}`);
  if (end.status === 0) return readOutput(end.stdout.text, end.stdout.isCut);
  if (end.status === 2) return blocked(end.stderr.trim() === '' ? end.stdout.text : end.stderr);
  return failed(`it ended with the exit status ${end.status}${saidBy(end.stderr)}`);
}

function saidBy(stderr: string): string {
  const said = stderr.trim();
  return said === '' ? '' : `: ${clip(said, 500)}`;
}

function environment({ directory, env, names }: HookPlace): NodeJS.ProcessEnv {
  const seen = [...usual, ...names];
  const passed = Object.entries(env).filter(([name]) => seen.some((pattern) => fitsPattern(pattern, name)));
  return { ...Object.fromEntries(passed), CLAUDE_PROJECT_DIR: directory };
}
