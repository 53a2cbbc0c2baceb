import type { RunInfo } from '../contract/run-info.ts';
import { checkPlace, pathIn, type SessionPlace } from '../files/session-place.ts';
import type { Owner } from '../hooks/owner.ts';
import type { ActiveRun } from '../run/active-run.ts';
import { regainClaim } from '../run/regain-claim.ts';
import { RunView } from '../run/run-view.ts';
import { withFile } from '../sessions/content/with-file.ts';

/**
 * Returns the function that returns a plugin's path for the session of a run. @throws `OPTION_INVALID` for an invalid
 * place
 */
export function declareSessionPath(
  owner: Owner,
  { directory, extension }: SessionPlace,
): { readonly declared: SessionPlace; readonly pathOf: (run: RunInfo) => Promise<string> } {
  const declared = Object.freeze({ directory, ...(extension === undefined ? {} : { extension }) });
  checkPlace(declared, owner.id);
  const pathOf = async (view: RunInfo): Promise<string> => {
    const run = RunView.runOf(view);
    const { session } = run.record;
    const { hook } = run.life;
    const path = pathIn(declared, session.id);
    // The commit of a noted path may still be in progress.
    if (session.about?.files?.includes(path) === true) await session.behind;
    else await hook.pauseFor(note(run, path, owner.id));
    return path;
  };
  return { declared, pathOf };
}

/** Adds a path to the session's `about`. Resolves when it is committed. */
async function note(run: ActiveRun, path: string, plugin: string): Promise<void> {
  run.life.throwIfOver(plugin, 'sessionPath');
  while (!run.record.session.isHeld) await regainClaim(run);
  const { session } = run.record;
  await session.commit({ about: withFile(session, path, plugin), run: run.record.toRecord() });
}
