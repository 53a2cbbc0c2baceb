import type { VNode } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';

import { Composer } from './components/composer.tsx';
import { ConfirmDialog } from './components/confirm-dialog.tsx';
import { MenuButton } from './components/menu-button.tsx';
import { SessionPanel, titleOf } from './components/session-panel.tsx';
import { SessionTitle } from './components/session-title.tsx';
import { Thread } from './components/thread.tsx';
import type { Connection } from './state/connection.ts';
import { SessionList, type Line } from './state/session-list.ts';
import { useConversation } from './state/use-conversation.ts';
import { useEscape } from './state/use-escape.ts';
import { useLive } from './state/use-live.ts';
import { useLooking } from './state/use-looking.ts';
import { usePlace } from './state/use-place.ts';

/** The list of sessions at the side, and the selected session. */
export function Chat({ connection }: { readonly connection: Connection }): VNode {
  const { client } = connection;
  const { agent, fileBytes, isReached, problem } = useLive(connection.view);
  const [sessionId, go] = usePlace();
  const [isOpen, setOpen] = useState(false);
  const [leaving, setLeaving] = useState<Line>();
  const list = useMemo(() => new SessionList(client), [client]);
  const lines = useLive(list.view);
  const conversation = useConversation(connection, sessionId, go);
  const view = useLive(conversation.view);
  useLooking(list, conversation);
  useEscape(() => {
    if (isOpen) setOpen(false);
    else if (view.state === 'running') void conversation.stop();
  });

  const shown = lines.lines.find(({ id }) => id === view.sessionId);
  const title = shown === undefined ? 'New session' : titleOf(shown);
  useEffect(() => {
    document.title = agent === undefined ? title : `${title} · ${agent}`;
  }, [title, agent]);
  const open = (next: string | undefined): void => {
    setOpen(false);
    go(next);
  };
  const rename = (next: string): void => void (shown && list.rename(shown.id, next));
  const leave = ({ id }: Line, isConfirmed: boolean): void => {
    setLeaving(undefined);
    if (isConfirmed && id === view.sessionId) go(undefined);
    if (isConfirmed) void list.delete(id);
  };
  return (
    <div class={isOpen ? 'app open' : 'app'}>
      <nav id="sessions" aria-label="Sessions">
        <SessionPanel
          list={lines}
          current={view.sessionId}
          onOpen={open}
          onDelete={setLeaving}
          onMore={(size) => void list.more(size)}
        />
      </nav>
      <main>
        <header>
          <MenuButton isOpen={isOpen} onToggle={() => setOpen(!isOpen)} />
          <SessionTitle key={view.sessionId} title={title} onRename={shown && rename} />
          <span class="agent">{agent}</span>
        </header>
        {!isReached && <p role="status">The server cannot be reached. Trying again…</p>}
        {(view.problem ?? problem) !== undefined && <p role="alert">{view.problem ?? problem}</p>}
        <div class="scroller" tabIndex={-1} inert={isOpen}>
          <Thread
            view={view}
            onAnswer={(id, answer) => conversation.answer(id, answer)}
            onResume={() => void conversation.resume()}
          />
        </div>
        <p class="unseen" role="status">
          {saidOf(view.state)}
        </p>
        <Composer
          conversation={conversation}
          isHidden={isOpen}
          state={view.state}
          fileBytes={fileBytes}
          onSend={(text, files) => conversation.send(text, files)}
          onStop={() => void conversation.stop()}
        />
      </main>
      {leaving !== undefined && (
        <ConfirmDialog
          text={`Delete “${titleOf(leaving)}” with all of its messages?`}
          action="Delete"
          onClose={(isConfirmed) => leave(leaving, isConfirmed)}
        />
      )}
    </div>
  );
}

/** Returns a sentence about the state for screen readers; an empty string if there is nothing to report. */
function saidOf(state: string): string {
  if (state === 'running') return 'The agent works.';
  return state === 'asking' ? 'The agent waits for your answer.' : '';
}
