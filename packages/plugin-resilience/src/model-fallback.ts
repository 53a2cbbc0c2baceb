import { isShallotError, ShallotError } from '@shallot/core';
import type { ChatModel, ModelName, ModelRequest, ModelResponse } from '@shallot/core/model';
import {
  isInterrupt,
  messageOf,
  option,
  type ModelNext,
  type ModelScope,
  type PluginState,
} from '@shallot/core/plugin';

import { defineLayer } from './layer.ts';

export interface ModelFallbackOptions {
  /**
   * Models to call in turn when the run's model fails: names or entries as for `model` in a config, or in code a
   * `ChatModel`.
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
  async add({ hooks, resolveModel, state }, { models, sticky }, tap) {
    const fallbacks = await Promise.all(models.map(resolveModel));
    const answered = state({ key: 'fallback', scope: 'run', initial: () => '' });
    hooks.wrapModelCall.tapPromise({ ...tap, internal: true }, (request, next, scope) =>
      askInTurn(request, next, scope, fallbacks, sticky ? answered : undefined),
    );
  },
});

async function askInTurn(
  request: ModelRequest,
  next: ModelNext,
  scope: ModelScope,
  fallbacks: readonly ChatModel[],
  answered: PluginState<string> | undefined,
): Promise<ModelResponse> {
  const { run, signal } = scope;
  const models = modelsInTurn(request.model, fallbacks, answered?.get(run));
  const errors: unknown[] = [];
  for (const [index, model] of models.entries()) {
    try {
      const response = await next(model === request.model ? request : { ...request, model });
      if (index > 0) answered?.set(run, model.id);
      return response;
    } catch (error) {
      if (signal.aborted || isInterrupt(error) || isShallotError(error, 'LIMIT_REACHED')) throw error;
      errors.push(error);
      const after = models[index + 1];
      if (after !== undefined)
        run.warn(
          'MODEL_FALLBACK',
          `The model ${model.id} failed (${messageOf(error)}); ${after.id} is asked instead.`,
        );
    }
  }
  throw allFailed(errors);
}

/** The run's own first, or the one that has answered before; each once. */
function modelsInTurn(
  own: ChatModel,
  fallbacks: readonly ChatModel[],
  answered: string | undefined,
): readonly ChatModel[] {
  const all = [own, ...fallbacks].filter(
    ({ id }, index, list) => list.findIndex((each) => each.id === id) === index,
  );
  const from = all.findIndex(({ id }) => id === answered);
  return from > 0 ? all.slice(from) : all;
}

/** The first error, which is the run's own model's, with the others beside it. */
function allFailed([first, ...others]: readonly unknown[]): unknown {
  if (others.length === 0 || !isShallotError(first)) return first;
  const { code, message, transient, retryAt } = first;
  return new ShallotError(code, {
    message: `${message} The fallback models failed too: ${others.map((each) => messageOf(each)).join(' ')}`,
    transient,
    retryAt,
    cause: first,
    errors: others.filter((each) => isShallotError(each)),
  });
}
