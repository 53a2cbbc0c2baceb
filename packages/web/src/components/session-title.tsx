import type { VNode } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

export interface SessionTitleProps {
  readonly title: string;
  /** Undefined for a session that is yet to begin. */
  readonly onRename: ((title: string) => void) | undefined;
}

/** The title of the session that is shown, which a person may change. Enter keeps the new one, Escape the old one. */
export function SessionTitle({ title, onRename }: SessionTitleProps): VNode {
  const [isEditing, setEditing] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const wasEditing = useRef(false);
  // Before the page is painted, so that no key is lost.
  useLayoutEffect(() => {
    if (isEditing) field.current?.select();
    else if (wasEditing.current) button.current?.focus();
    wasEditing.current = isEditing;
  }, [isEditing]);
  if (!isEditing || onRename === undefined)
    return (
      <>
        <h1>{title}</h1>
        {onRename !== undefined && (
          <button
            ref={button}
            type="button"
            class="rename"
            aria-label="Rename"
            onClick={() => setEditing(true)}
          >
            ✎
          </button>
        )}
      </>
    );
  const keep = (event: Event): void => {
    event.preventDefault();
    const next = field.current?.value.trim() ?? '';
    if (next !== '' && next !== title) onRename(next);
    setEditing(false);
  };
  return (
    <form class="title" onSubmit={keep}>
      <input
        ref={field}
        aria-label="Title of the session"
        maxLength={100}
        defaultValue={title}
        onBlur={() => setEditing(false)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          // It would stop the run as well.
          event.stopPropagation();
          setEditing(false);
        }}
      />
    </form>
  );
}
