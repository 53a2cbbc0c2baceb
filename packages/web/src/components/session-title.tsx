import type { VNode } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

export interface SessionTitleProps {
  readonly title: string;
  /** Changes the title; undefined for a session that does not exist yet. */
  readonly onRename: ((title: string) => void) | undefined;
}

/**
 * The title of the current session, which the user may change. Enter stores the new title, and Escape keeps the old
 * one.
 */
export function SessionTitle({ title, onRename }: SessionTitleProps): VNode {
  const [isEditing, setEditing] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const wasEditing = useRef(false);
  // A layout effect moves the focus before the page is painted, so that no key is lost.
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
          // Otherwise Escape would also stop the run.
          event.stopPropagation();
          setEditing(false);
        }}
      />
    </form>
  );
}
