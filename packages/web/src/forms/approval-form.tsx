import type { Interrupt, JsonValue } from '@shallot/core';
import type { VNode } from 'preact';
import { useId, useState } from 'preact/hooks';

import { decisionOf, type Approval, type Writing } from './approval.ts';

export interface ApprovalFormProps {
  readonly interrupt: Interrupt;
  readonly approval: Approval;
  readonly isBusy: boolean;
  readonly onAnswer: (answer: JsonValue) => void;
}

const writings: Readonly<
  Record<Writing, { readonly button: string; readonly label: string; readonly send: string }>
> = {
  edit: { button: 'Edit…', label: 'Arguments, as JSON', send: 'Execute with these' },
  reject: { button: 'Reject…', label: 'Reason, which the model is told (optional)', send: 'Reject' },
  respond: {
    button: 'Answer instead…',
    label: 'Result of the call, in your words',
    send: 'Send as the result',
  },
};

/** A form for a decision about a tool call: approve, edit, reject, or answer instead of the tool. */
export function ApprovalForm({ interrupt, approval, isBusy, onAnswer }: ApprovalFormProps): VNode {
  const [writing, setWriting] = useState<Writing>();
  const { decisions, always } = approval;
  const { rule } = always ?? {};
  return (
    <>
      {writing === undefined ? (
        <div class="actions">
          {decisions.includes('approve') && (
            <button
              type="button"
              class="primary"
              disabled={isBusy}
              onClick={() => onAnswer({ decision: 'approve' })}
            >
              Approve
            </button>
          )}
          {decisions.includes('approve') &&
            rule !== undefined &&
            always?.scopes.map((scope) => (
              <button
                key={scope}
                type="button"
                disabled={isBusy}
                title={rule}
                onClick={() => onAnswer({ decision: 'approve', always: { rule, scope } })}
              >
                Always in this {scope}
              </button>
            ))}
          {(['edit', 'reject', 'respond'] as const)
            .filter((kind) => decisions.includes(kind))
            .map((kind) => (
              <button key={kind} type="button" disabled={isBusy} onClick={() => setWriting(kind)}>
                {writings[kind].button}
              </button>
            ))}
        </div>
      ) : (
        <WritingForm
          kind={writing}
          isBusy={isBusy}
          given={writing === 'edit' ? JSON.stringify(interrupt.call?.input ?? {}, null, 2) : ''}
          onAnswer={onAnswer}
          onBack={() => setWriting(undefined)}
        />
      )}
      {writing === undefined && rule !== undefined && (
        <p class="hint">
          “Always” keeps the rule <code>{rule}</code>.
        </p>
      )}
    </>
  );
}

interface WritingFormProps {
  readonly kind: Writing;
  readonly given: string;
  readonly isBusy: boolean;
  readonly onAnswer: (answer: JsonValue) => void;
  readonly onBack: () => void;
}

function WritingForm({ kind, given, isBusy, onAnswer, onBack }: WritingFormProps): VNode {
  const id = useId();
  const [text, setText] = useState(given);
  const [problem, setProblem] = useState<string>();
  const send = (event: Event): void => {
    event.preventDefault();
    const read = decisionOf(kind, text);
    if ('problem' in read) setProblem(read.problem);
    else onAnswer(read.value);
  };
  return (
    <form onSubmit={send}>
      <div class="field">
        <label for={id}>{writings[kind].label}</label>
        <textarea
          id={id}
          rows={kind === 'edit' ? Math.min(12, given.split('\n').length + 1) : 2}
          spellcheck={kind !== 'edit'}
          value={text}
          autofocus
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </div>
      {problem !== undefined && <p role="alert">{problem}</p>}
      <div class="actions">
        <button type="submit" class="primary" disabled={isBusy}>
          {writings[kind].send}
        </button>
        <button type="button" onClick={onBack}>
          Back
        </button>
      </div>
    </form>
  );
}
