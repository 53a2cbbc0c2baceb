import { factsOf } from '../errors/error-facts.ts';
import type { LanguageModel } from '../sdk/language-model.ts';

/** OpenAI models without reasoning. Names of deployments do not show it. */
const thoughtless = /^(?:ft:)?(?:gpt-3|gpt-4|chatgpt|gpt-5-chat|davinci|babbage)/;

/** Decides if reasoning is requested, and learns from servers that reject this. */
export class ThoughtSupport {
  #isAsked: boolean;

  constructor({ modelId }: Pick<LanguageModel, 'modelId'>) {
    this.#isAsked = !thoughtless.test(modelId);
  }

  get isAsked(): boolean {
    return this.#isAsked;
  }

  /** Stops asking for reasoning if the error rejects this. Returns true if so, because the request can then be repeated. */
  learn(error: unknown): boolean {
    if (
      !this.#isAsked ||
      !/encrypted content is not supported|reasoning\.encrypted_content/i.test(factsOf(error).message)
    )
      return false;
    this.#isAsked = false;
    return true;
  }
}
