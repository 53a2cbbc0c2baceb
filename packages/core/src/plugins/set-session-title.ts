import { ShallotError } from '../base/errors.ts';
import type { RunInfo } from '../contract/run-info.ts';
import type { Owner } from '../hooks/owner.ts';
import { readOptions } from '../options/option-shape.ts';
import { titleOption } from '../options/plain-options.ts';
import { regainClaim } from '../run/regain-claim.ts';
import type { RunParts } from '../run/run-parts.ts';
import { RunView } from '../run/run-view.ts';
import { checkAbout } from '../sessions/content/about-size.ts';

/**
 * Sets the title of a run's session on behalf of a plugin. Resolves when it is stored. @throws `OPTION_INVALID`;
 * `STORE_FAILED` if the store cannot change a title
 */
export async function setSessionTitle(owner: Owner, view: RunInfo, title: string): Promise<void> {
  const run = RunView.runOf(view);
  readOptions('setTitle', { title: titleOption.required() }, { title });
  await run.life.hook.pauseFor(store(run, title, owner.id));
}

async function store(run: RunParts, title: string, plugin: string): Promise<void> {
  run.life.throwIfOver(plugin, 'setTitle');
  const { session } = run.record;
  while (!session.isHeld) await regainClaim(run);
  const { about } = session;
  const titled = checkAbout(Object.freeze({ ...about, title }));
  if (about?.title === undefined) {
    await session.commit({ about: titled, run: run.record.toRecord() });
  }
  if ((await session.setTitle(title)) || about?.title === undefined) return;
  throw new ShallotError('STORE_FAILED', {
    message: `The title of session "${session.id}" stays "${about.title}": its store has no setTitle.`,
    plugin,
  });
}
