import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import type { Line, SessionListView } from '../state/session-list.ts';

export interface SessionPanelProps {
  readonly list: SessionListView;
  /** The id of the session that is shown. */
  readonly current: string | undefined;
  readonly onOpen: (sessionId: string | undefined) => void;
  readonly onDelete: (line: Line) => void;
  readonly onMore: (size?: number) => void;
}

/** The sessions of the server, with a search by title. */
export function SessionPanel({ list, current, onOpen, onDelete, onMore }: SessionPanelProps): VNode {
  const [search, setSearch] = useState('');
  const isSearching = search.trim() !== '';
  useEffect(() => {
    // A search has to cover all sessions, so all of them are loaded.
    if (isSearching && list.hasMore) onMore(Infinity);
  }, [isSearching, list.hasMore]);
  const found = list.lines.filter((line) =>
    titleOf(line).toLowerCase().includes(search.trim().toLowerCase()),
  );
  return (
    <>
      <div class="tools">
        <button type="button" class="primary" onClick={() => onOpen(undefined)}>
          New session
        </button>
        <input
          type="search"
          value={search}
          placeholder="Search"
          aria-label="Search sessions by title"
          onInput={({ currentTarget }) => setSearch(currentTarget.value)}
        />
      </div>
      {list.problem !== undefined && <p role="alert">{list.problem}</p>}
      <ul class="sessions">
        {found.map((line) => (
          <SessionLine
            key={line.id}
            line={line}
            isCurrent={line.id === current}
            onOpen={() => onOpen(line.id)}
            onDelete={() => onDelete(line)}
          />
        ))}
      </ul>
      {list.isLoaded && found.length === 0 && (
        <p class="empty">{isSearching ? 'No session has this in its title.' : 'No sessions yet.'}</p>
      )}
      {list.hasMore && !isSearching && (
        <button type="button" onClick={() => onMore()}>
          Show more
        </button>
      )}
    </>
  );
}

interface SessionLineProps {
  readonly line: Line;
  readonly isCurrent: boolean;
  readonly onOpen: () => void;
  readonly onDelete: () => void;
}

function SessionLine({ line, isCurrent, onOpen, onDelete }: SessionLineProps): VNode {
  const title = titleOf(line);
  return (
    <li class={isCurrent ? 'current' : ''}>
      <button type="button" class="line" aria-current={isCurrent ? 'true' : undefined} onClick={onOpen}>
        <span class="title">{title}</span>
        <span class={`state ${line.status ?? ''}`}>{stateOf(line)}</span>
      </button>
      <button type="button" class="delete" aria-label={`Delete ${title}`} onClick={onDelete}>
        ×
      </button>
    </li>
  );
}

/** Returns the title of a session, or else its id. */
export function titleOf({ title, id }: Pick<Line, 'title' | 'id'>): string {
  return title ?? id;
}

function stateOf({ status, interrupts, updatedAt }: Line): string {
  if (interrupts > 0) return interrupts === 1 ? '1 question' : `${interrupts} questions`;
  if (status !== undefined && status !== 'completed') return status;
  const date = new Date(updatedAt);
  const isToday = date.toDateString() === new Date().toDateString();
  return isToday
    ? date.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })
    : date.toLocaleDateString([], { day: 'numeric', month: 'short' });
}
