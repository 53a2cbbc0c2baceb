import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

export interface ConfirmDialogProps {
  readonly text: string;
  /** The label of the button that confirms. */
  readonly action: string;
  readonly onClose: (isConfirmed: boolean) => void;
}

/** Asks before an action that cannot be undone. */
export function ConfirmDialog({ text, action, onClose }: ConfirmDialogProps): VNode {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog
      ref={dialog}
      aria-label={text}
      onCancel={(event) => {
        event.preventDefault();
        onClose(false);
      }}
    >
      <p>{text}</p>
      <div class="actions">
        <button type="button" onClick={() => onClose(false)}>
          Keep
        </button>
        <button type="button" class="primary" onClick={() => onClose(true)}>
          {action}
        </button>
      </div>
    </dialog>
  );
}
