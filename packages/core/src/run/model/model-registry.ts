import { ShallotError } from '../../base/errors.ts';
import type { ChatModel } from '../../contract/model.ts';
import type { RunRecord } from '../../contract/store.ts';

/**
 * The models that a stored request can name: those resolved by plugins, and those of requests stored in this process.
 * Requests for the agent's own model store no name.
 */
export class ModelRegistry {
  readonly #own: ChatModel;
  readonly #plugins: { readonly models: readonly ChatModel[] };
  readonly #stored = new Map<string, ChatModel>();

  constructor(own: ChatModel, plugins: { readonly models: readonly ChatModel[] }) {
    this.#own = own;
    this.#plugins = plugins;
  }

  /** Returns a registry for a child's agent, whose own model is `own`. */
  for(own: ChatModel): ModelRegistry {
    return new ModelRegistry(own, this.#plugins);
  }

  note(model: ChatModel): void {
    this.#stored.set(model.id, model);
  }

  /** Returns the model with this id; never falls back to another model. @throws `MODEL_GONE` */
  get(id: string): ChatModel {
    const found = this.#stored.get(id) ?? [...this.#plugins.models, this.#own].find((each) => each.id === id);
    if (found !== undefined) return found;
    throw new ShallotError('MODEL_GONE', {
      message: `The run continues with a request for the model ${id}, which this agent lacks; it is not sent to another one. Configure the plugin that uses that model again (it obtains the model with resolveModel), or abandon the run with abandon: true.`,
    });
  }
}

/** Checks that the model of the stored request is available. @throws `MODEL_GONE` */
export function requireModel(models: ModelRegistry, { position }: RunRecord): void {
  if (position.at !== 'beforeModel' && position.at !== 'wrapModelCall') return;
  const { model } = position.value;
  if (typeof model === 'string') models.get(model);
}
