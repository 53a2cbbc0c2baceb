import type { JsonSchema } from '../../base/schema.ts';
import type { InterruptRequest } from '../../contract/interrupt.ts';
import { textPart, type TextPart } from '../../contract/messages.ts';
import type { JournalledCall } from '../../contract/store.ts';

/** A person's answer about a call whose effect is unknown. */
export interface UnknownEffectAnswer {
  readonly action: 'repeat' | 'result';
  readonly result?: string;
}

/** Returns the question about a call whose process died during the execution. */
export function unknownEffect({ name, input }: JournalledCall): InterruptRequest<JsonSchema> {
  const message = `The process died while ${name} was running. It is not known whether the call took effect.`;
  return { kind: 'unknown-effect', payload: { tool: name, input, message }, answer };
}

/** Returns a text for the model if the executed call differs from the one that the model made. */
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
