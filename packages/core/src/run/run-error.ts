import { isShallotError, ShallotError } from '../base/errors.ts';
import { isTransient } from '../base/is-transient.ts';
import { messageOf } from '../base/thrown.ts';
import { errorsBeside } from '../hooks/errors-beside.ts';
import type { Signs } from './parts/signs.ts';
import type { RunTerms } from './run-terms.ts';

/**
 * Returns the error that a run rejects with: it names the plugin and hook, if they are known, and has the original
 * error as its cause. An error of the core that has a cause is returned as it is.
 */
export function runError(terms: RunTerms, signs: Signs, thrown: unknown): ShallotError {
  const blame = signs.blames.of(thrown);
  const who = blame?.plugin === undefined ? {} : blame;
  const said = messageOf(thrown);
  if (isShallotError(thrown)) {
    // An error of the core such as TOOL_FAILED already has the original as its cause.
    if (blame === undefined && thrown.cause !== undefined) return thrown;
    const { code, transient, retryAt, at, plugin, hook, errors } = thrown;
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
      errors,
    });
  }
  if (who.plugin !== undefined) {
    const message = `${who.hook ?? 'aroundRun'} of the plugin ${who.plugin} threw: ${said}`;
    return new ShallotError('PLUGIN_FAILED', {
      message,
      ...who,
      cause: thrown,
      errors: errorsBeside(thrown),
    });
  }
  if (blame !== undefined) {
    const message = `The model ${terms.parts.model.id} failed: ${said}`;
    const transient = isTransient(thrown);
    return new ShallotError('MODEL_FAILED', {
      message,
      transient,
      cause: thrown,
      errors: errorsBeside(thrown),
    });
  }
  return new ShallotError('INTERNAL', {
    message: `The core failed: ${said}. Please report this.`,
    cause: thrown,
  });
}
