import { DefaultChatTransport, readUIMessageStream, type UIMessage } from 'ai';

import type { AgentServer } from '../src/create-server.ts';

/** A page with `useChat`: its messages, and the transport of the AI SDK. */
export class ChatPage {
  messages: UIMessage[] = [];
  readonly errors: string[] = [];
  /** Receives the message of a run after each change. */
  onMessage: (message: UIMessage) => void = () => undefined;
  readonly #server: Pick<AgentServer, 'fetch'>;
  readonly #transport: DefaultChatTransport<UIMessage>;
  readonly #id: string;
  #count = 0;

  constructor(server: Pick<AgentServer, 'fetch'>, id = 'a', headers: Record<string, string> = {}) {
    this.#server = server;
    this.#id = id;
    this.#transport = new DefaultChatTransport({
      api: 'http://localhost/chat',
      headers,
      fetch: (url, init) => server.fetch(new Request(url instanceof Request ? url.url : url, init)),
    });
  }

  /** Sends a user message, and reads the run. */
  async send(text: string, body: object = {}): Promise<UIMessage> {
    this.#count += 1;
    const message: UIMessage = { id: `u${this.#count}`, role: 'user', parts: [{ type: 'text', text }] };
    return this.submit([...this.messages, message], body);
  }

  /** Sends these messages as the whole chat, and reads the run. */
  async submit(messages: UIMessage[], body: object = {}): Promise<UIMessage> {
    const stream = await this.#transport.sendMessages({
      trigger: 'submit-message',
      chatId: this.#id,
      messageId: undefined,
      messages,
      abortSignal: undefined,
      body,
    });
    this.messages = messages;
    return this.#read(stream, messages.at(-1));
  }

  /** Follows a run in progress. Returns undefined if there is none. */
  async resume(): Promise<UIMessage | undefined> {
    const stream = await this.#transport.reconnectToStream({ chatId: this.#id });
    return stream === null ? undefined : this.#read(stream, undefined);
  }

  /** Gives the same answer to all questions for approval, and sends it. */
  async answer(approved: boolean, reason?: string): Promise<UIMessage> {
    const decision = { approved, ...(reason === undefined ? {} : { reason }) };
    return this.#respond(() => decision);
  }

  /** Answers each question for approval with its own decision, and sends the answers. */
  async decide(
    ids: readonly string[],
    decisions: readonly ({ readonly approved: boolean; readonly reason?: string } | undefined)[],
  ): Promise<UIMessage> {
    return this.#respond((id) => decisions[ids.indexOf(id)]);
  }

  async #respond(
    decisionOn: (id: string) => { readonly approved: boolean; readonly reason?: string } | undefined,
  ): Promise<UIMessage> {
    const messages = structuredClone(this.messages);
    for (const part of messages.at(-1)?.parts ?? []) {
      if (!('state' in part) || part.state !== 'approval-requested') continue;
      const approval = { ...part.approval, ...decisionOn(part.approval.id) };
      Object.assign(part, { state: 'approval-responded', approval });
    }
    return this.submit(messages);
  }

  /** Reads the messages as a page does when it is reloaded. */
  async reload(): Promise<UIMessage[]> {
    const response = await this.#server.fetch(new Request(`http://localhost/chat/${this.#id}`));
    // The route returns this form.
    const { messages } = (await response.json()) as { readonly messages: UIMessage[] };
    this.messages = messages;
    return messages;
  }

  async #read(
    stream: Awaited<ReturnType<DefaultChatTransport<UIMessage>['sendMessages']>>,
    last: UIMessage | undefined,
  ): Promise<UIMessage> {
    const onError = (error: unknown): number => this.errors.push(String(error));
    const message = last?.role === 'assistant' ? { message: structuredClone(last) } : {};
    let read: UIMessage | undefined;
    for await (const state of readUIMessageStream({ stream, onError, ...message })) {
      read = state;
      this.onMessage(state);
    }
    if (read === undefined) throw new Error('The stream had no message.');
    const { id } = read;
    this.messages = [...this.messages.filter((each) => each.id !== id), read];
    return read;
  }
}

/** Returns the parts of a message without the members that differ between streaming it and reading it again. */
export function partsOf(message: UIMessage | undefined): unknown {
  return message?.parts.map((part) =>
    Object.fromEntries(
      Object.entries(part).filter(
        ([key, value]) => value !== undefined && !(part.type === 'reasoning' && key === 'id'),
      ),
    ),
  );
}
