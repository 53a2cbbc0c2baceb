import type { JsonValue } from '@shallot/core';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';

import { readDraft, type Draft } from './draft.ts';
import { FieldInput } from './field-input.tsx';
import type { Field } from './field.ts';

export interface SchemaFormProps {
  readonly field: Field;
  readonly isBusy: boolean;
  readonly onAnswer: (answer: JsonValue) => void;
}

/** A form for an answer, made from its schema. The server checks the answer. */
export function SchemaForm({ field, isBusy, onAnswer }: SchemaFormProps): VNode {
  const [draft, setDraft] = useState<Draft>({});
  const [problem, setProblem] = useState<string>();
  const send = (event: Event): void => {
    event.preventDefault();
    const read = readDraft(field, draft);
    setProblem('problem' in read ? read.problem : undefined);
    if ('value' in read) onAnswer(read.value ?? null);
  };
  return (
    <form onSubmit={send}>
      <FieldInput field={field} name="Your answer" draft={draft} onChange={setDraft} />
      {problem !== undefined && <p role="alert">{problem}</p>}
      <div class="actions">
        <button type="submit" class="primary" disabled={isBusy}>
          {field.kind === 'fixed' ? (field.title ?? 'Answer') : 'Answer'}
        </button>
      </div>
    </form>
  );
}
