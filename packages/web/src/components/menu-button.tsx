import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

export interface MenuButtonProps {
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

/** Shows and hides the sessions on a narrow page. The focus moves to the sessions, and returns to the button. */
export function MenuButton({ isOpen, onToggle }: MenuButtonProps): VNode {
  const button = useRef<HTMLButtonElement>(null);
  const wasOpen = useRef(isOpen);
  useEffect(() => {
    if (isOpen) document.querySelector<HTMLElement>('#sessions button')?.focus();
    else if (wasOpen.current) button.current?.focus();
    wasOpen.current = isOpen;
  }, [isOpen]);
  return (
    <button
      ref={button}
      type="button"
      class="menu"
      aria-expanded={isOpen}
      aria-controls="sessions"
      aria-label="Sessions"
      onClick={onToggle}
    >
      ☰
    </button>
  );
}
