import { ShallotError } from '../../base/errors.ts';
import { isBelowRange } from '../../base/version-range.ts';
import { coreNames, versioned } from '../../contract/plugin-names.ts';
import type { ConfiguredPlugins, RunRecord } from '../../contract/store.ts';
import { dueAt } from '../../sessions/stores/due-at.ts';
import { nothingToResume } from '../abandon-run.ts';
import type { AgentParts } from '../agent-parts.ts';
import { mostAttempts, mostDeaths } from '../parts/attempts.ts';

/** A run that waits in the store, with the plugins that it began with. */
interface WaitingRun {
  readonly sessionId: string;
  readonly run: RunRecord;
  readonly plugins: ConfiguredPlugins;
}

/**
 * Rejects a run that a worker must not resume: it waits for a person, is parked, had too many attempts without progress
 * or has to wait for another run, or a plugin is missing or older here. @throws `SESSION_NOT_RESUMABLE`, `RUN_STUCK`,
 * `SESSION_BUSY`, `PLUGIN_GONE`, `PLUGIN_INCOMPATIBLE`
 */
export function refuseForWorkers(
  { host }: AgentParts,
  { sessionId, run, plugins }: WaitingRun,
  isAdmitted: boolean,
): void {
  if (dueAt(run) === undefined) throw nothingToResume(sessionId, run);
  const { count = 0, deaths = 0 } = run.attempts ?? {};
  if (count >= mostAttempts || deaths >= mostDeaths) {
    const died = deaths === 0 ? '' : `; in ${deaths} of these cases the process died`;
    const why = run.failure === undefined ? '' : ` The last error: ${run.failure.message}`;
    throw new ShallotError('RUN_STUCK', {
      message: `The run of session "${sessionId}" was resumed ${count + deaths} times in a row without reaching another step than ${run.step}${died}.${why}`,
    });
  }
  if (!isAdmitted) {
    throw new ShallotError('SESSION_BUSY', {
      message: `The run of session "${sessionId}" was at work when ${deaths} workers died. It waits until another such run has gone on.`,
      transient: true,
    });
  }
  // A run that no agent has begun has no plugins; those of the session are of an earlier one.
  if (run.submitted?.isNew === true) return;
  for (const [id, known] of Object.entries(plugins)) {
    if (coreNames.has(id)) continue;
    const own = host.record[id];
    if (own === undefined) {
      throw new ShallotError('PLUGIN_GONE', {
        message: `The run of session "${sessionId}" began with the plugin ${versioned(known)}, which is not configured here.`,
        plugin: id,
      });
    }
    if (
      known.version !== undefined &&
      own.version !== undefined &&
      isBelowRange(own.version, known.version)
    ) {
      throw new ShallotError('PLUGIN_INCOMPATIBLE', {
        message: `The run of session "${sessionId}" began with the plugin ${versioned(known)}; here it has version ${own.version}.`,
        plugin: id,
      });
    }
  }
}
