import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

import type { Conversation, ConversationView } from '../state/conversation.ts';

export interface ComposerProps {
  /** The field is emptied for another one. */
  readonly conversation: Conversation;
  readonly state: ConversationView['state'];
  /** True while something else covers it. */
  readonly isHidden: boolean;
  /** Returns false if the message was not taken: it stays in the field. */
  readonly onSend: (text: string) => Promise<boolean>;
  readonly onStop: () => void;
}

const hints: Readonly<Record<ConversationView['state'], string>> = {
  loading: 'Message',
  idle: 'Message',
  running: 'Message to the run in progress',
  asking: 'Message, which is read after the answer',
};

/** The field for messages. Enter sends, Shift and Enter begin a line. */
export function Composer({ conversation, state, isHidden, onSend, onStop }: ComposerProps): VNode {
  const [text, setText] = useState('');
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    setText('');
    field.current?.focus({ preventScroll: true });
  }, [conversation]);
  const send = (): void => {
    if (text.trim() === '' || state === 'loading') return;
    setText('');
    void onSend(text).then((isTaken) => {
      if (!isTaken) setText((newer) => (newer === '' ? text : newer));
    });
  };
  return (
    <form
      class="composer"
      inert={isHidden}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <textarea
        ref={field}
        rows={1}
        value={text}
        aria-label={hints[state]}
        placeholder={hints[state]}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          send();
        }}
      />
      {state === 'running' && (
        <button type="button" onClick={onStop} title="Escape">
          Stop
        </button>
      )}
      <button type="submit" class="primary" disabled={text.trim() === '' || state === 'loading'}>
        Send
      </button>
    </form>
  );
}
