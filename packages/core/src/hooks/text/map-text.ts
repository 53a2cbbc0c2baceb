import type { ModelNext, ModelScope } from '../../contract/hooks.ts';
import type { AssistantPart } from '../../contract/messages.ts';
import type { ModelRequest, ModelResponse } from '../../contract/model.ts';
import { MappedStream } from './mapped-stream.ts';
import type { TextMapping, WholeMapping } from './text-mapping.ts';
import { UnitStage, type TextUnit } from './unit-stage.ts';

/** A tap of `wrapModelCall` that returns what the layers inside return, changed. */
export type TextLayer = (
  request: ModelRequest,
  next: ModelNext,
  scope: Pick<ModelScope, 'emit'>,
) => Promise<ModelResponse>;

/**
 * Returns a tap of `wrapModelCall` that changes the texts of a model's answer, in the stream and in the response alike. A
 * function is called for each `unit` of a text (default: each line, without its end), which is held back until it is complete, so
 * that the result does not depend on how the model splits its text. A mapping decides itself what it holds back.
 */
export function mapText(
  change: ((text: string) => string) | TextMapping,
  { unit = 'line' }: { readonly unit?: TextUnit } = {},
): TextLayer {
  const mapping = typeof change === 'function' ? { stage: () => new UnitStage(change, unit) } : change;
  const whole: WholeMapping = { ...mapping, part: mapping.part ?? ((part) => mappedPart(part, mapping)) };
  return async function changeText(request, next, { emit }) {
    if (emit === undefined) return mappedResponse(await next(request), whole.part);
    const stream = new MappedStream(whole, emit);
    const response = mappedResponse(await next(request, { emit: stream.push }), whole.part);
    await stream.end();
    return response;
  };
}

function mappedPart(part: AssistantPart, mapping: TextMapping): AssistantPart {
  if (part.type !== 'text' && (part.type !== 'reasoning' || mapping.reasoning !== true)) return part;
  const stage = mapping.stage();
  const text = stage.push(part.text) + stage.end();
  return text === part.text ? part : { type: part.type, text };
}

function mappedResponse(response: ModelResponse, map: WholeMapping['part']): ModelResponse {
  const { message } = response;
  const content = message.content.map((part) => map(part));
  if (content.every((part, index) => part === message.content[index])) return response;
  return { ...response, message: { ...message, content } };
}
