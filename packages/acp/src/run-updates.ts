import type { SessionUpdate, ToolCallContent } from '@agentclientprotocol/sdk';
import {
  textOf,
  type AgentEvent,
  type AssistantMessage,
  type JsonValue,
  type Message,
  type ToolMessage,
} from '@shallot/core';
import { toolCallsOf } from '@shallot/core/plugin';
import type { FollowedTreeEvent } from '@shallot/core/work';

import { Compactions } from './compactions.ts';
import { blockOf } from './content-blocks.ts';
import { ShownText } from './shown-text.ts';
import { ToolCalls, type FilePlaces, type FindTool, type KnownCall } from './tool-calls.ts';

/** Sends an update of a session to the editor. */
export type SendUpdate = (update: SessionUpdate) => Promise<void>;

export interface RunUpdatesOptions {
  readonly send: SendUpdate;
  readonly places: FilePlaces;
  readonly findTool: FindTool;
  /** The size of the model's context in tokens, if it is known. */
  readonly contextTokens: () => number | undefined;
  /** True if the editor shows notices. */
  readonly notices: boolean;
  /** True if the editor shows compactions. */
  readonly compactions: boolean;
}

/** Shows an editor the course of a session: its stored messages, and the events of its runs. */
export class RunUpdates {
  readonly #calls: ToolCalls;
  readonly #compactions = new Compactions();
  readonly #options: RunUpdatesOptions;
  readonly #text: ShownText;
  readonly #reasoning: ShownText;
  /** The id of the last message that was shown whole. */
  #last: string | undefined;
  /** The messages that were shown while a run made them. */
  readonly #told = new Map<string, AssistantMessage | ToolMessage>();
  #messages = 0;
  readonly #newId = (): string => `shown_${(this.#messages += 1)}`;

  constructor(options: RunUpdatesOptions) {
    this.#options = options;
    this.#calls = new ToolCalls(options.places, options.findTool);
    const shownAs =
      (sessionUpdate: 'agent_message_chunk' | 'agent_thought_chunk') =>
      (text: string, messageId: string): Promise<void> =>
        options.send({ sessionUpdate, messageId, content: { type: 'text', text } });
    this.#text = new ShownText(shownAs('agent_message_chunk'), () => this.#retracted('answer'), this.#newId);
    this.#reasoning = new ShownText(
      shownAs('agent_thought_chunk'),
      () => this.#retracted('reasoning'),
      this.#newId,
    );
  }

  /** The id of the last message that was shown whole; undefined before the first. */
  get last(): string | undefined {
    return this.#last;
  }

  /** Shows stored messages. */
  async replay(messages: readonly Message[]): Promise<void> {
    for (const message of messages) {
      this.#last = message.id;
      if (message.role === 'user' && message.source === undefined) {
        for (const part of message.content)
          await this.#options.send({
            sessionUpdate: 'user_message_chunk',
            messageId: message.id,
            content: blockOf(part),
          });
      } else if (message.role === 'assistant') {
        await this.#answer(message);
      } else if (message.role === 'tool') {
        await this.#sendIf(this.#calls.ended(message));
      }
    }
  }

  /** Shows stored messages up to those that the run in progress has shown. The rest comes with its events. */
  async replayDuring(before: RunUpdates, messages: readonly Message[], from: number): Promise<void> {
    const isToCome = ({ role, id }: Message, index: number): boolean =>
      index >= from && role !== 'user' && !before.#told.has(id);
    const end = messages.findIndex(isToCome);
    await this.replay(end === -1 ? messages : messages.slice(0, end));
    for (const message of before.#told.values()) {
      this.#tell(message);
      if (message.role === 'tool') await this.#sendIf(this.#calls.ended(message));
    }
    await this.#reasoning.add(before.#reasoning.open);
    await this.#text.add(before.#text.open);
  }

  /** Forgets what a run has shown, once all of it is stored. */
  forget(): void {
    this.#told.clear();
  }

  /** Shows an event of a run. */
  async event(event: AgentEvent): Promise<void> {
    switch (event.type) {
      case 'text-delta':
        return this.#text.add(event.text);
      case 'reasoning-delta':
        return this.#reasoning.add(event.text);
      case 'restart':
        this.#text.restart();
        this.#reasoning.restart();
        return;
      case 'message':
        this.#tell(event.message);
        await this.#answer(event.message);
        return this.#used(event.usage);
      case 'tool-start':
        return this.#sendIf(this.#calls.known({ ...event, id: event.callId }, 'in_progress'));
      case 'tool-end':
        this.#tell(event.message);
        return this.#sendIf(this.#calls.ended(event.message));
      case 'child':
        return this.#child(event);
      case 'plugin':
        return this.#plugin(event);
      case 'warning':
        return this.notice('warning', event.code, event.message);
      default:
    }
  }

  /** Shows an event of a run that another process works on. */
  async followed(event: FollowedTreeEvent): Promise<void> {
    switch (event.type) {
      case 'live':
        return this.event(event.event);
      case 'message':
        this.#last = event.message.id;
        return event.message.role === 'assistant' ? this.#answer(event.message) : undefined;
      case 'tool-end':
        this.#last = event.message.id;
        return this.#sendIf(this.#calls.ended(event.message));
      default:
    }
  }

  /** Announces a call that a question is about, if it is not known yet. */
  announce(call: KnownCall): Promise<void> {
    return this.#sendIf(this.#calls.known(call, 'pending'));
  }

  /** Returns the edits of a call as diffs. */
  diffs(call: KnownCall): ToolCallContent[] {
    return this.#calls.diffs(call);
  }

  /** Ends texts, calls and compactions that a run left open. */
  async end(): Promise<void> {
    this.#text.leave();
    this.#reasoning.leave();
    for (const update of this.#calls.left()) await this.#options.send(update);
    await this.#compacted(this.#compactions.end());
  }

  /** Shows a notice that is not part of the conversation, if the editor shows notices. */
  async notice(severity: 'info' | 'warning' | 'error', title: string, description: string): Promise<void> {
    if (!this.#options.notices) return;
    await this.#options.send({ sessionUpdate: 'notice', severity, title, description });
  }

  /** Shows text in the conversation itself. */
  async say(text: string): Promise<void> {
    await this.#options.send({
      sessionUpdate: 'agent_message_chunk',
      messageId: this.#newId(),
      content: { type: 'text', text },
    });
  }

  #tell(message: AssistantMessage | ToolMessage): void {
    this.#last = message.id;
    this.#told.set(message.id, message);
  }

  async #answer(message: AssistantMessage): Promise<void> {
    const reasoning = message.content.flatMap((part) => (part.type === 'reasoning' ? [part.text] : []));
    await this.#reasoning.end(reasoning.join(''));
    await this.#text.end(textOf(message));
    for (const part of message.content) {
      if (part.type === 'file')
        await this.#options.send({ sessionUpdate: 'agent_message_chunk', content: blockOf(part) });
      else if (part.type === 'provider-call') await this.#sendIf(this.#calls.known(part, 'in_progress'));
      else if (part.type === 'provider-result') await this.#sendIf(this.#calls.provided(part));
    }
    for (const { id, name, input } of toolCallsOf(message))
      await this.#sendIf(this.#calls.known({ id, name, input }, 'pending'));
  }

  async #retracted(what: string): Promise<void> {
    const title = `The ${what} was taken back`;
    const description = `Another ${what} takes the place of the one above.`;
    if (this.#options.notices) return this.notice('info', title, description);
    await this.#options.send({
      sessionUpdate: 'agent_message_chunk',
      content: { type: 'text', text: `\n\n(${title}: the next one takes its place.)\n\n` },
    });
  }

  async #used(usage: Extract<AgentEvent, { type: 'message' }>['usage']): Promise<void> {
    const size = this.#options.contextTokens();
    if (usage === undefined || size === undefined) return;
    await this.#options.send({ sessionUpdate: 'usage_update', used: usage.input + usage.output, size });
  }

  async #child({ callId, agent, event }: Extract<AgentEvent, { type: 'child' }>): Promise<void> {
    const text = childActivity(event);
    if (text !== undefined) await this.#sendIf(this.#calls.activity(callId, `${agent}: ${text}`));
  }

  async #plugin({ plugin, name, data }: Extract<AgentEvent, { type: 'plugin' }>): Promise<void> {
    const entries = plugin === 'todo' && name === 'plan' ? planOf(data) : undefined;
    if (entries !== undefined) await this.#options.send({ sessionUpdate: 'plan', entries });
    if (plugin === 'summarization') await this.#compacted(this.#compactions.event(name, data));
  }

  async #compacted(update: SessionUpdate | undefined): Promise<void> {
    if (this.#options.compactions) await this.#sendIf(update);
  }

  async #sendIf(update: SessionUpdate | undefined): Promise<void> {
    if (update !== undefined) await this.#options.send(update);
  }
}

/** Returns a line about an event of a child; undefined for one that is not shown. */
function childActivity(event: AgentEvent): string | undefined {
  if (event.type === 'tool-start') return event.title ?? event.name;
  if (event.type !== 'message') return undefined;
  const text = textOf(event.message);
  return text === '' ? undefined : text;
}

type PlanEntries = Extract<SessionUpdate, { sessionUpdate: 'plan' }>['entries'];

const planStatus = { pending: 'pending', in_progress: 'in_progress', done: 'completed' } as const;

function planOf(data: JsonValue): PlanEntries | undefined {
  // The shape of the event `plan` of the to-do plugin.
  const { todos } = data as {
    readonly todos?: readonly { readonly content: string; readonly status: keyof typeof planStatus }[];
  };
  return todos?.map(({ content, status }) => ({
    content,
    status: planStatus[status],
    priority: 'medium',
  }));
}
