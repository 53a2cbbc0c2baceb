import { isShallotError, ShallotError } from '@shallot/core';
import type { ChatModel, ModelName, ModelRequest, ModelResponse } from '@shallot/core/model';
import {
  isInterrupt,
  isTransient,
  messageOf,
  noteErrorsBeside,
  option,
  type ModelNext,
  type ModelScope,
  type PluginState,
  type ReadyAgent,
} from '@shallot/core/plugin';

import { defineLayer } from './layer.ts';
import { isSameModel } from './same-model.ts';

/** Options of the fallback to other models. */
export interface ModelFallbackOptions {
  /**
   * Models to call in turn when the run's model fails: names or entries as for `model` in a config, or in code a
   * `ChatModel`. One may have the name of the run's model, with another `baseURL`, key or region.
   */
  readonly models: readonly ModelName[];
  /** Continues the rest of the run with the model that answered. Default: false. */
  readonly sticky?: boolean;
}

export const modelFallbackLayer = defineLayer({
  name: 'model-fallback',
  priority: 38,
  shape: {
    models: option.list(option.model(), { min: 1 }).required().describe('Models to call in turn.'),
    sticky: option
      .boolean()
      .default(false)
      .describe('Continues the rest of the run with the model that answered.'),
  },
  async add({ hooks, onReady, resolveModel, state }, { models, sticky }, tap) {
    const fallbacks = named(await Promise.all(models.map(resolveModel)));
    const answered = state({ key: 'fallback', scope: 'run', initial: () => '' });
    let shortens: ReadyAgent['shortens'] = () => false;
    onReady((agent) => {
      refuseOwnAlone(fallbacks, agent.model);
      shortens = agent.shortens;
    });
    hooks.wrapModelCall.tapPromise({ ...tap, internal: true }, (request, next, scope) =>
      askInTurn(request, next, scope, { fallbacks, shortens, answered: sticky ? answered : undefined }),
    );
  },
});

interface Fallback {
  readonly model: ChatModel;
  /**
   * The model's id, with a number from the second model of the same name on. It is stored, so it must be the same in
   * every process.
   */
  readonly key: string;
  /** Its position in the options, in words. */
  readonly place: string;
}

function named(models: readonly ChatModel[]): readonly Fallback[] {
  return models.map((model, index) => {
    const before = models.slice(0, index).filter(({ id }) => id === model.id).length;
    const key = before === 0 ? model.id : `${model.id}#${before + 1}`;
    return { model, key, place: ` (fallback ${index + 1})` };
  });
}

/** Refuses fallbacks that are all the agent's own model. @throws `resilience/NO_FALLBACK` */
function refuseOwnAlone(fallbacks: readonly Fallback[], own: ChatModel): void {
  if (fallbacks.some(({ model }) => !isSameModel(model, own))) return;
  throw new ShallotError('resilience/NO_FALLBACK', {
    message: `The option modelFallback names only the agent's own model, ${own.id}, at the same endpoint. Name another model, or the same one with another baseURL or key.`,
  });
}

interface Asking {
  readonly fallbacks: readonly Fallback[];
  readonly shortens: ReadyAgent['shortens'];
  /** The model that answered last, by key, if the option `sticky` is set. */
  readonly answered: PluginState<string> | undefined;
}

async function askInTurn(
  request: ModelRequest,
  next: ModelNext,
  scope: ModelScope,
  { fallbacks, shortens, answered }: Asking,
): Promise<ModelResponse> {
  const { run, signal, origin } = scope;
  const turns = turnsFor(request.model, fallbacks, answered?.get(run));
  const errors: unknown[] = [];
  for (const [index, turn] of turns.entries()) {
    const { model, key } = turn;
    try {
      const response = await next(model === request.model ? request : { ...request, model });
      if (index > 0) answered?.set(run, key);
      return response;
    } catch (error) {
      if (signal.aborted || isInterrupt(error) || isShallotError(error, 'LIMIT_REACHED')) throw error;
      // A request that is too long is not the model's fault: a plugin that can shorten it comes first.
      const isTooLong = isShallotError(error, 'MODEL_CONTEXT_OVERFLOW');
      if (isTooLong && origin === undefined && shortens(run)) throw error;
      const after = turns[index + 1];
      errors.push(index === 0 ? error : asModelError(error, model));
      if (after !== undefined)
        run.warn(
          'MODEL_FALLBACK',
          `The model ${nameIn(turns, turn)} failed (${messageOf(error)}); ${nameIn(turns, after)} is asked instead.`,
        );
    }
  }
  throw allFailed(errors);
}

/** Returns the models to try: the run's own or the last that answered, then the others. */
function turnsFor(
  own: ChatModel,
  fallbacks: readonly Fallback[],
  answered: string | undefined,
): readonly Fallback[] {
  const from = fallbacks.findIndex(({ key }) => key === answered);
  const all = from === -1 ? [{ model: own, key: own.id, place: '' }, ...fallbacks] : fallbacks.slice(from);
  return all.filter(({ model }, index) => all.findIndex((each) => isSameModel(each.model, model)) === index);
}

/** Returns the name of a model for messages, with its place if two models have the same name. */
function nameIn(turns: readonly Fallback[], { model: { id }, place }: Fallback): string {
  return turns.filter(({ model }) => model.id === id).length > 1 ? `${id}${place}` : id;
}

/** Returns the error of the run's own model, with those of the fallbacks attached. */
function allFailed([first, ...rest]: readonly unknown[]): unknown {
  const others = rest.filter((each) => isShallotError(each));
  if (others.length === 0) return first;
  if (!isShallotError(first)) {
    noteErrorsBeside(first, others);
    return first;
  }
  const { code, message, transient, retryAt } = first;
  return new ShallotError(code, {
    message: `${message} The fallback models failed too: ${others.map((each) => messageOf(each)).join(' ')}`,
    transient,
    retryAt,
    cause: first,
    errors: others,
  });
}

/** Returns a model's failure as a `ShallotError`. */
function asModelError(error: unknown, { id }: ChatModel): ShallotError {
  if (isShallotError(error)) return error;
  return new ShallotError('MODEL_FAILED', {
    message: `The model ${id} failed: ${messageOf(error)}`,
    transient: isTransient(error),
    cause: error,
  });
}
