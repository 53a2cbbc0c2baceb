import type { JsonValue } from '../../base/json.ts';
import type { AssistantPart } from '../../contract/messages.ts';
import type { TextStage } from './text-stage.ts';

/** A change of a model's answer, for layers that need more than a function of a text. */
export interface TextMapping {
  /** Returns a new stage for each text. */
  readonly stage: () => TextStage;
  /** Changes the model's reasoning, too. Default: false. */
  readonly reasoning?: boolean;
  /**
   * Changes a whole part of the response, or one at the end of a streamed part. Must agree with the stage. Default: texts
   * go through a stage; a changed text loses its citations, and changed reasoning its signature, because they belong to
   * the original text.
   */
  readonly part?: (part: AssistantPart) => AssistantPart;
  /** Changes the arguments of a tool call in the stream; `part` changes them in the response. Default: they stay. */
  readonly input?: (input: JsonValue) => JsonValue;
}

/** A mapping with its default for parts. */
export type WholeMapping = TextMapping & Required<Pick<TextMapping, 'part'>>;
