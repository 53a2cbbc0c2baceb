import type { AssistantMessage, JsonValue, UserMessage } from '@shallot/core';
import type { VNode } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';

import type { ConversationView, Ending } from '../state/conversation.ts';
import { rowsOf, type Row } from '../state/rows.ts';
import { CallCard, type CallState } from './call-card.tsx';
import { CodeBlock, Link, Markdown } from './markdown.tsx';
import { QuestionCard } from './question-card.tsx';

export interface ThreadProps {
  readonly view: ConversationView;
  readonly onAnswer: (interruptId: string, answer: JsonValue) => Promise<void>;
  readonly onResume: () => void;
}

/** The messages of a session, the step in progress, and the open questions. */
export function Thread({ view, onAnswer, onResume }: ThreadProps): VNode {
  const { messages, draft, interrupts, activity, waiting, ending, state, sessionId } = view;
  const rows = useMemo(() => rowsOf(messages), [messages]);
  const end = useBottom(view);
  const isRunning = state === 'running';
  return (
    <div class="thread" ref={end}>
      <div role="log" aria-label="Conversation" aria-live="polite" aria-relevant="additions">
        {rows.map((row) => (
          <RowView key={row.id} row={row} view={view} />
        ))}
      </div>
      {draft.reasoning !== '' && <Reasoning text={draft.reasoning} isOpen={draft.text === ''} />}
      {draft.text !== '' && <Markdown text={draft.text} />}
      {waiting.map(({ id, text }) => (
        <p key={id} class="user waiting">
          {text}
        </p>
      ))}
      {activity.warnings.map((warning, index) => (
        <p key={index} class="hint">
          {warning}
        </p>
      ))}
      {isRunning && draft.text === '' && (
        <p class="working">
          {activity.writing === undefined ? 'Working' : <>Writes a call of {activity.writing}</>}
          <span class="dots" aria-hidden="true" />
        </p>
      )}
      {interrupts.map((interrupt) => (
        <QuestionCard
          key={interrupt.id}
          interrupt={interrupt}
          onAnswer={(answer) => onAnswer(interrupt.id, answer)}
        />
      ))}
      {ending !== undefined && <End {...ending} onResume={onResume} />}
      {sessionId === undefined && waiting.length === 0 && (
        <p class="empty">Write a message to begin a session.</p>
      )}
    </div>
  );
}

/** Scrolls to the end when messages are added, unless the user has scrolled away from the end. */
function useBottom({ messages, draft, waiting, interrupts, sessionId }: ConversationView) {
  const inside = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  useEffect(() => {
    const scroller = inside.current?.parentElement;
    const look = (): void => {
      if (scroller) isAtEnd.current = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < 80;
    };
    scroller?.addEventListener('scroll', look, { passive: true });
    return () => scroller?.removeEventListener('scroll', look);
  }, []);
  useEffect(() => {
    isAtEnd.current = true;
  }, [sessionId]);
  useEffect(() => {
    const scroller = inside.current?.parentElement;
    if (scroller && isAtEnd.current) scroller.scrollTop = scroller.scrollHeight;
  }, [messages, draft.text, draft.reasoning, waiting, interrupts]);
  return inside;
}

function RowView({ row, view }: { readonly row: Row; readonly view: ConversationView }): VNode | null {
  switch (row.kind) {
    case 'user':
      return <UserRow message={row.message} />;
    case 'note':
      return (
        <details class="note">
          <summary>{row.title}</summary>
          <Markdown text={row.text} />
        </details>
      );
    case 'part':
      return <PartRow part={row.part} />;
    case 'call': {
      const { id, name, input } = row.call;
      const { progress, children } = view.activity;
      return (
        <CallCard
          name={name}
          input={input}
          state={stateOf(row, view)}
          result={row.result}
          progress={progress[id]}
          inside={Object.values(children[id] ?? {})}
        />
      );
    }
  }
}

function stateOf({ call, result }: Extract<Row, { kind: 'call' }>, view: ConversationView): CallState {
  if (result?.denied !== undefined) return 'denied';
  if (result !== undefined) return result.isError === true ? 'failed' : 'done';
  const isAsked = view.interrupts.some(({ call: asked, under }) =>
    [asked?.id, ...(under ?? [])].includes(call.id),
  );
  if (isAsked) return 'waiting';
  return view.state === 'running' ? 'running' : 'open';
}

function UserRow({ message }: { readonly message: UserMessage }): VNode {
  return (
    <div class="user">
      <span class="unseen">You: </span>
      {message.content.map((part, index) =>
        part.type === 'text' ? <span key={index}>{part.text}</span> : <FileNote key={index} {...part} />,
      )}
    </div>
  );
}

function PartRow({ part }: { readonly part: Extract<Row, { kind: 'part' }>['part'] }): VNode | null {
  switch (part.type) {
    case 'text':
      return (
        <>
          <Markdown text={part.text} />
          <Citations {...part} />
        </>
      );
    case 'reasoning':
      return part.text === '' ? null : <Reasoning text={part.text} isOpen={false} />;
    case 'file':
      return <FileNote {...part} />;
    case 'source':
      return <SourceNote {...part} />;
    case 'provider-call':
      return <CallCard name={part.name} input={part.input} state="done" />;
    case 'provider-result':
      return (
        <details class="note">
          <summary>Result of {part.name}</summary>
          <CodeBlock text={JSON.stringify(part.result, null, 2)} />
        </details>
      );
  }
}

function Reasoning({ text, isOpen }: { readonly text: string; readonly isOpen: boolean }): VNode {
  return (
    <details class="note" open={isOpen}>
      <summary>Reasoning</summary>
      <p class="plain">{text}</p>
    </details>
  );
}

type PartOf<Type> = Extract<AssistantMessage['content'][number], { readonly type: Type }>;

/** The sources of a text, without duplicates. */
function Citations({ citations = [] }: PartOf<'text'>): VNode | null {
  const sources = new Map(citations.map(({ source }) => [source.url ?? source.id, source]));
  if (sources.size === 0) return null;
  return (
    <ul class="sources" aria-label="Sources">
      {[...sources.values()].map((source) => (
        <li key={source.id}>
          <SourceNote {...source} />
        </li>
      ))}
    </ul>
  );
}

function SourceNote({ url, title, name, id }: Omit<PartOf<'source'>, 'type'>): VNode {
  const label = title ?? name ?? url ?? id;
  return <span class="source">{url === undefined ? label : <Link href={url}>{label}</Link>}</span>;
}

/** A file. An image is shown if the message contains its data. */
function FileNote({ mediaType, data, url, name }: PartOf<'file'>): VNode {
  const label = name ?? mediaType;
  if (data !== undefined && /^image\/(?:png|jpeg|gif|webp)$/.test(mediaType))
    return <img class="file" alt={label} src={`data:${mediaType};base64,${data}`} />;
  return <span class="source">{url === undefined ? label : <Link href={url}>{label}</Link>}</span>;
}

const outcomes: Readonly<Record<string, string>> = {
  aborted: 'The run was stopped.',
  failed: 'The run failed.',
  parked: 'The run failed again and again, and waits to be resumed.',
};

function End({ outcome, failure, onResume }: Ending & { readonly onResume: () => void }): VNode {
  return (
    <div class="ending" role="status">
      <p>
        {outcomes[outcome] ?? outcome} {failure?.message}
        {failure !== undefined && <code class="code">{failure.code}</code>}
      </p>
      <button type="button" onClick={onResume}>
        Resume
      </button>
    </div>
  );
}
