import { useChat } from '@ai-sdk/react';
import {
  DefaultChatTransport,
  getToolName,
  isToolUIPart,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  type UIMessage,
} from 'ai';
import { useState, type SubmitEvent, type ReactElement } from 'react';
import { createRoot } from 'react-dom/client';

// The page's URL holds the id of the chat, which is also the id of the session.
if (location.hash === '') history.replaceState(null, '', `#chat-${Date.now()}`);
const id = location.hash.slice(1);
const transport = new DefaultChatTransport({ api: '/chat' });

/** Reads the messages of the chat; empty before the first message was sent. */
async function readMessages(): Promise<UIMessage[]> {
  const response = await fetch(`/chat/${id}`);
  if (!response.ok) return [];
  const { messages } = (await response.json()) as { readonly messages: UIMessage[] };
  return messages;
}

function Chat({ given }: { readonly given: UIMessage[] }): ReactElement {
  const [text, setText] = useState('');
  const chat = useChat({
    id,
    messages: given,
    // After a reload, follows a run that is in progress.
    resume: given.length > 0,
    transport,
    // Once all questions are answered, the answers are sent.
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  });
  const send = (event: SubmitEvent): void => {
    event.preventDefault();
    if (text.trim() === '') return;
    void chat.sendMessage({ text });
    setText('');
  };
  const readAgain = async (): Promise<void> => {
    chat.setMessages(await readMessages());
    chat.clearError();
    await chat.resumeStream();
  };
  return (
    <>
      <h1>Garden</h1>
      {chat.messages.map((message) => (
        <article key={message.id} className={message.role}>
          {message.parts.map((part, index) => {
            if (part.type === 'text') return <p key={index}>{part.text}</p>;
            if (!isToolUIPart(part)) return null;
            const answer = (approved: boolean) => () => {
              if (part.approval !== undefined)
                void chat.addToolApprovalResponse({ id: part.approval.id, approved });
            };
            return (
              <section key={index}>
                <code>
                  {getToolName(part)} {JSON.stringify(part.input)}
                </code>{' '}
                {part.state}
                {part.state === 'approval-requested' && (
                  <p>
                    <button onClick={answer(true)}>Approve</button>{' '}
                    <button onClick={answer(false)}>Reject</button>
                  </p>
                )}
              </section>
            );
          })}
        </article>
      ))}
      {chat.error && (
        <p role="alert">
          {chat.error.message} <button onClick={() => void readAgain()}>Read again</button>
        </p>
      )}
      <form onSubmit={send}>
        <input aria-label="Message" value={text} onChange={({ target }) => setText(target.value)} />
        <button>Send</button>
      </form>
    </>
  );
}

const place = document.querySelector('#page');
if (place) createRoot(place).render(<Chat given={await readMessages()} />);
