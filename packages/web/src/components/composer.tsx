import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

import { inWords, readFiles, type AttachedFile } from '../state/attached-file.ts';
import type { Conversation, ConversationView } from '../state/conversation.ts';

export interface ComposerProps {
  /** The conversation of the field. The field is emptied when this changes. */
  readonly conversation: Conversation;
  readonly state: ConversationView['state'];
  /** True while something else covers the field. */
  readonly isHidden: boolean;
  /** The most bytes that the files of a message may have in total. */
  readonly fileBytes: number;
  /** Sends a message. Returns false if it was not accepted; the text then stays in the field. */
  readonly onSend: (text: string, files: readonly AttachedFile[]) => Promise<boolean>;
  readonly onStop: () => void;
}

const hints: Readonly<Record<ConversationView['state'], string>> = {
  loading: 'Message',
  idle: 'Message',
  running: 'Message to the run in progress',
  asking: 'Message, which is read after the answer',
};

/** The field for messages and their files. Enter sends the message; Shift and Enter begin a new line. */
export function Composer({ conversation, state, isHidden, fileBytes, onSend, onStop }: ComposerProps): VNode {
  const [text, setText] = useState('');
  const [files, setFiles] = useState<readonly AttachedFile[]>([]);
  const [problem, setProblem] = useState<string>();
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    setText('');
    setFiles([]);
    setProblem(undefined);
    field.current?.focus({ preventScroll: true });
  }, [conversation]);
  const isEmpty = text.trim() === '' && files.length === 0;
  const send = (): void => {
    if (isEmpty || state === 'loading') return;
    setText('');
    setFiles([]);
    setProblem(undefined);
    void onSend(text, files).then((isTaken) => {
      if (isTaken) return;
      setText((newer) => (newer === '' ? text : newer));
      setFiles((newer) => (newer.length === 0 ? files : newer));
    });
  };
  const attach = async (chosen: readonly File[]): Promise<void> => {
    const read = await readFiles(chosen, files, fileBytes);
    setFiles(read.files);
    setProblem(read.problem);
    field.current?.focus();
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
      {problem !== undefined && <p role="alert">{problem}</p>}
      <Attached files={files} onRemove={(removed) => setFiles(files.filter((each) => each !== removed))} />
      <div class="row">
        {fileBytes > 0 && <AttachButton fileBytes={fileBytes} onChoose={(chosen) => void attach(chosen)} />}
        <textarea
          ref={field}
          rows={1}
          value={text}
          aria-label={hints[state]}
          placeholder={hints[state]}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
          onPaste={(event) => {
            const pasted = [...(event.clipboardData?.files ?? [])];
            if (pasted.length === 0) return;
            event.preventDefault();
            void attach(pasted);
          }}
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
        <button type="submit" class="primary" disabled={isEmpty || state === 'loading'}>
          Send
        </button>
      </div>
    </form>
  );
}

interface AttachButtonProps {
  readonly fileBytes: number;
  readonly onChoose: (files: readonly File[]) => void;
}

function AttachButton({ fileBytes, onChoose }: AttachButtonProps): VNode {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        onChange={({ currentTarget }) => {
          onChoose([...(currentTarget.files ?? [])]);
          // Without this, a browser would report no change if the same file is chosen again.
          currentTarget.value = '';
        }}
      />
      <button
        type="button"
        class="attach"
        aria-label="Attach files"
        title={`Attach files, up to ${inWords(fileBytes)}`}
        onClick={() => input.current?.click()}
      >
        +
      </button>
    </>
  );
}

interface AttachedProps {
  readonly files: readonly AttachedFile[];
  readonly onRemove: (file: AttachedFile) => void;
}

function Attached({ files, onRemove }: AttachedProps): VNode | null {
  if (files.length === 0) return null;
  return (
    <ul class="attached" aria-label="Attached files">
      {files.map((file, index) => (
        <li key={index}>
          <span>{file.name}</span>
          <button type="button" aria-label={`Remove ${file.name}`} onClick={() => onRemove(file)}>
            ×
          </button>
        </li>
      ))}
    </ul>
  );
}
