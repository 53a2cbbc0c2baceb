import type { RunInfo } from '../contract/run-info.ts';
import { checkPlace, pathIn, type SessionPlace } from '../files/session-place.ts';
import type { Owner } from '../hooks/owner.ts';
import { isNoted, noteFile } from '../run/held-files.ts';
import { RunView } from '../run/run-view.ts';

/**
 * Returns a plugin's place for files of sessions, and the function that returns its path for the session of a run.
 * @throws `OPTION_INVALID` for an invalid place
 */
export function declareSessionPath(
  owner: Owner,
  { directory, extension }: SessionPlace,
): { readonly declared: SessionPlace; readonly pathOf: (run: RunInfo) => Promise<string> } {
  const declared = Object.freeze({ directory, ...(extension === undefined ? {} : { extension }) });
  checkPlace(declared, owner.id);
  const pathOf = async (view: RunInfo): Promise<string> => {
    const run = RunView.runOf(view);
    const path = pathIn(declared, run.record.session.id);
    if (!isNoted(run.record, path)) run.life.throwIfOver(owner.id, 'sessionPath');
    await run.life.hook.pauseFor(noteFile(run, path, owner.id));
    return path;
  };
  return { declared, pathOf };
}
