import { isShallotError, ShallotError } from '../base/errors.ts';
import { isTransient } from '../base/is-transient.ts';
import { messageOf } from '../base/thrown.ts';
import { modelError } from '../contract/model-error.ts';
import type { ActiveRun } from './active-run.ts';

/** The error that a run is rejected with: who threw is said, and the original is the cause. */
export function runError(run: ActiveRun, thrown: unknown): ShallotError {
  const blame = run.blames.of(thrown);
  const who = blame?.plugin === undefined ? {} : blame;
  const said = messageOf(thrown);
  if (isShallotError(thrown)) {
    // The core's own error around what was thrown (TOOL_FAILED, for one) has the original as its cause already.
    if (blame === undefined && thrown.cause !== undefined) return thrown;
    const { code, transient, retryAt, at, plugin, hook } = thrown;
    return new ShallotError(code, {
      message:
        who.plugin === undefined || who.plugin === plugin
          ? said
          : `${who.hook ?? 'aroundRun'} of ${who.plugin}: ${said}`,
      transient,
      ...(retryAt === undefined ? {} : { retryAt }),
      ...(plugin === undefined ? {} : { plugin }),
      ...(hook === undefined ? {} : { hook }),
      ...who,
      ...(at === undefined ? {} : { at }),
      cause: thrown,
    });
  }
  if (who.plugin !== undefined) {
    const message = `${who.hook ?? 'aroundRun'} of the plugin ${who.plugin} threw: ${said}`;
    return new ShallotError('PLUGIN_FAILED', { message, ...who, cause: thrown });
  }
  if (blame !== undefined) {
    const message = `The model ${run.parts.model.id} failed: ${said}`;
    return modelError('MODEL_FAILED', { message, transient: isTransient(thrown), cause: thrown });
  }
  return new ShallotError('INTERNAL', {
    message: `The core failed: ${said}. Please report this.`,
    cause: thrown,
  });
}
