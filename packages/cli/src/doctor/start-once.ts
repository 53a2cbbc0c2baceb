import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { packageAround } from '@shallot/core/command';

import type { Asking } from '../project/versions-of.ts';
import type { Checkup } from './render-checkup.ts';

/** The outcome of a start of the agent in a process of its own. */
export interface FirstStart {
  /** The errors that keep it from starting. */
  readonly errors: Checkup['findings'];
  /** The errors of the model's key; the start was tried with the offline model instead. */
  readonly keys: Checkup['findings'];
}

/** The code of an error about a key that is not set yet, which is no fault of the config. */
const missingKey = 'MODEL_AUTH';

/**
 * Starts the agent of a project once, as `shallot doctor` does, in its own process, so that changed modules are read
 * again and nothing of a plugin stays behind. Rejects with the signal's reason on an abort.
 */
export async function startOnce({ project, screen, signal, timeoutMs }: Asking): Promise<FirstStart> {
  const args = [commandFile(), 'doctor', '--json', '--config', project.config];
  const { cwd, env } = screen.io;
  const ended = await promisify(execFile)(process.execPath, args, {
    cwd,
    env: { ...env, NO_COLOR: '1' },
    signal,
    timeout: timeoutMs,
    maxBuffer: 64 * 2 ** 20,
  }).catch((error: unknown) => {
    signal.throwIfAborted();
    // A status other than 0 rejects with an error that holds the output.
    return error as { readonly stdout?: string; readonly stderr?: string; readonly killed?: boolean };
  });
  const findings = findingsIn(ended.stdout ?? '') ?? [noReport(ended, timeoutMs)];
  const errors = findings.filter(({ level }) => level === 'error');
  return {
    errors: errors.filter(({ code }) => code !== missingKey),
    keys: errors.filter(({ code }) => code === missingKey),
  };
}

/** Returns the file that starts this command. */
function commandFile(): string {
  const own = packageAround(import.meta.dirname);
  if (own === undefined) throw new Error('The command is in no package.');
  // The package around this file is the command's own, which has a `bin`.
  const { bin } = own.manifest as { readonly bin: { readonly shallot: string } };
  return join(own.directory, bin.shallot);
}

function findingsIn(stdout: string): Checkup['findings'] | undefined {
  try {
    // `doctor --json` prints a checkup and nothing else.
    return (JSON.parse(stdout) as Checkup).findings;
  } catch {
    // The process ended before it could report.
    return undefined;
  }
}

function noReport(
  { stderr = '', killed = false }: { readonly stderr?: string; readonly killed?: boolean },
  timeoutMs: number,
): Checkup['findings'][number] {
  const reason = killed
    ? `The start did not end within ${timeoutMs / 1000} s. Allow more with --timeout, or run: shallot doctor`
    : `The start ended without a report: ${stderr.trim().split('\n').slice(-3).join('; ') || 'it gave no reason'}`;
  return { level: 'error', code: 'UNCAUGHT', reason };
}
