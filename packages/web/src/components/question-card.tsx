import type { Interrupt, JsonValue } from '@shallot/core';
import type { VNode } from 'preact';
import { useId, useMemo, useState } from 'preact/hooks';

import { ApprovalForm } from '../forms/approval-form.tsx';
import { approvalOf, type Approval } from '../forms/approval.ts';
import { fieldOf, isObject, titlesIn, type Field } from '../forms/field.ts';
import { SchemaForm } from '../forms/schema-form.tsx';
import { CodeBlock } from './markdown.tsx';

export interface QuestionCardProps {
  readonly interrupt: Interrupt;
  readonly onAnswer: (answer: JsonValue) => Promise<void>;
}

/** An open question, with a form for the answer. */
export function QuestionCard({ interrupt, onAnswer }: QuestionCardProps): VNode {
  const id = useId();
  const [isBusy, setBusy] = useState(false);
  const approval = approvalOf(interrupt);
  const field = useMemo(() => fieldOf(interrupt.answerSchema), [interrupt.id]);
  const answer = (value: JsonValue): void => {
    setBusy(true);
    void onAnswer(value).finally(() => setBusy(false));
  };
  return (
    <section class="question" aria-labelledby={id}>
      <h2 id={id}>
        {approval === undefined ? (
          <>{askerOf(interrupt)} asks</>
        ) : (
          <>
            May <code>{approval.tool}</code> be executed?
          </>
        )}
      </h2>
      {approval === undefined ? (
        <>
          <Payload payload={interrupt.payload} field={field} />
          <SchemaForm field={field} isBusy={isBusy} onAnswer={answer} />
        </>
      ) : (
        <>
          <Call {...approval} />
          <ApprovalForm interrupt={interrupt} approval={approval} isBusy={isBusy} onAnswer={answer} />
        </>
      )}
    </section>
  );
}

function Call({ arguments: shown, description, diff, output, changedBy }: Approval): VNode {
  return (
    <>
      {description !== undefined && <p>{description}</p>}
      {changedBy !== undefined && <p class="hint">Changed by {changedBy} after the model asked for it.</p>}
      {diff === undefined ? <CodeBlock text={shown} label="arguments" /> : <Diff text={diff} />}
      {output !== undefined && (
        <>
          <p class="hint">The tool receives:</p>
          <CodeBlock text={output} label="what the tool receives" />
        </>
      )}
    </>
  );
}

function Diff({ text }: { readonly text: string }): VNode {
  const kindOf = (line: string): string | undefined =>
    line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : undefined;
  return (
    <pre tabIndex={0} role="region" aria-label="Changes">
      {text
        .trimEnd()
        .split('\n')
        .map((line, index) => (
          <span key={index} class={kindOf(line)}>
            {`${line}\n`}
          </span>
        ))}
    </pre>
  );
}

/** Returns the name of the plugin that asks, or of the tool if a tool asks. */
function askerOf({ plugin, call }: Interrupt): string {
  return plugin === 'tool' ? (call?.name ?? 'A tool') : plugin;
}

/**
 * The content of a question. A message is left out if the form already shows it; a payload without a message is shown
 * as JSON.
 */
function Payload({ payload, field }: { readonly payload: JsonValue; readonly field: Field }): VNode | null {
  if (payload === null) return null;
  const message = isObject(payload) ? payload['message'] : payload;
  if (typeof message !== 'string')
    return <CodeBlock text={JSON.stringify(payload, null, 2)} label="question" />;
  const titles = titlesIn(field);
  const isSaid =
    titles.length > 0 && message.split('\n').every((line) => titles.some((title) => line.includes(title)));
  return isSaid ? null : <p class="plain">{message}</p>;
}
