import type { JsonSchema } from '../../base/schema.ts';
import type { InterruptRequest } from '../../contract/interrupt.ts';
import { textPart, type TextPart } from '../../contract/messages.ts';
import type { JournalledCall } from '../../contract/store.ts';

/** What a person says of a call that may or may not have taken effect. */
export interface UnknownEffectAnswer {
  readonly action: 'repeat' | 'result';
  readonly result?: string;
}

/** The question about a call whose process died while it was being executed. */
export function unknownEffect({ name, input }: JournalledCall): InterruptRequest<JsonSchema> {
  const message = `The process died while ${name} was running. It is not known whether the call took effect.`;
  return { kind: 'unknown-effect', payload: { tool: name, input, message }, answer };
}

/** What the model is told of an execution that began and was another call than the one that came to the gates. */
export function changedText({ done }: { readonly done?: JournalledCall }): readonly TextPart[] {
  if (done === undefined) return [];
  const call = `${done.name} with ${JSON.stringify(done.input)}`;
  return [textPart(`This call was changed before it was executed. The executed call is ${call}`)];
}

const answer: JsonSchema = {
  type: 'object',
  properties: {
    action: {
      enum: ['repeat', 'result'],
      description: 'repeat: execute the call again; result: do not, and use this result for the model',
    },
    result: { type: 'string' },
  },
  required: ['action'],
  additionalProperties: false,
};
