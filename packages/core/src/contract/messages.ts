import { describeValue } from '../base/describe-value.ts';
import { ShallotError } from '../base/errors.ts';
import type { JsonObject, JsonValue } from '../base/json.ts';
import { freezeMade } from '../base/json/frozen-json.ts';

/** Text. `metadata` is a provider's own and is sent back to it unchanged. */
export interface TextPart {
  readonly type: 'text';
  readonly text: string;
  /** The sources that support the text. */
  readonly citations?: readonly Citation[];
  readonly metadata?: JsonObject;
}

/** A web page (`url`) or document that an answer is based on. */
export interface Source {
  /** Unique in its message. */
  readonly id: string;
  readonly url?: string;
  readonly title?: string;
  /** For a document: its IANA media type and file name. */
  readonly mediaType?: string;
  readonly name?: string;
}

/** A reference from a text to a source. */
export interface Citation {
  readonly source: Source;
  /** The range of the text that the source supports; `end` is exclusive. */
  readonly start?: number;
  readonly end?: number;
  /** The passage of the source. */
  readonly quote?: string;
}

/** A source that the model used. */
export interface SourcePart extends Source {
  readonly type: 'source';
  readonly metadata?: JsonObject;
}

/** A call of a tool that the provider executes itself. It needs no result, and no layer or gate sees it. */
export interface ProviderCallPart {
  readonly type: 'provider-call';
  readonly id: string;
  readonly name: string;
  readonly input: JsonValue;
  readonly metadata?: JsonObject;
}

/** The result of a `provider-call`, in the provider's own form; the call may be in an earlier message. */
export interface ProviderResultPart {
  readonly type: 'provider-result';
  readonly callId: string;
  readonly name: string;
  readonly result: JsonValue;
  readonly isError?: boolean;
  readonly metadata?: JsonObject;
}

/** A model's reasoning before its answer. `metadata` contains signatures for the provider. */
export interface ReasoningPart {
  readonly type: 'reasoning';
  readonly text: string;
  readonly metadata?: JsonObject;
}

/** A file, image or audio: either `data` in base64, or a `url`. */
export interface FilePart {
  readonly type: 'file';
  /** An IANA media type, such as `image/png`. */
  readonly mediaType: string;
  readonly data?: string;
  readonly url?: string;
  readonly name?: string;
  readonly metadata?: JsonObject;
}

/** A model's request to run a tool. */
export interface ToolCallPart {
  readonly type: 'tool-call';
  /** Unique in the session: the core replaces missing and repeated ids before anything is stored. */
  readonly id: string;
  readonly name: string;
  readonly input: JsonValue;
  /** The argument text as the model wrote it, if it was not valid JSON; `input` is then `{}`. */
  readonly raw?: string;
  readonly metadata?: JsonObject;
}

interface MessageBase {
  /** Unique in the session. */
  readonly id: string;
  /** The creator of the message, if it was neither the user nor the model: for example `summarization`. */
  readonly source?: string;
  /** JSON with a key per plugin. */
  readonly metadata?: JsonObject;
}

/** A message of the user: text, files, or both. */
export interface UserMessage extends MessageBase {
  readonly role: 'user';
  readonly content: readonly (TextPart | FilePart)[];
}

/** An instruction at its place in the conversation. The agent's own instructions are not messages. */
export interface SystemMessage extends MessageBase {
  readonly role: 'system';
  readonly content: readonly TextPart[];
}

/**
 * The answer of a model: text, reasoning, tool calls and the other parts, in the order in which they were written.
 */
export interface AssistantMessage extends MessageBase {
  readonly role: 'assistant';
  readonly content: readonly AssistantPart[];
}

/** The result of a tool call. */
export interface ToolMessage extends MessageBase {
  readonly role: 'tool';
  readonly callId: string;
  /** The tool's name. */
  readonly name: string;
  readonly content: readonly (TextPart | FilePart)[];
  /** The tool's result as JSON, for programs; the model sees `content`. */
  readonly data?: JsonValue;
  readonly isError?: boolean;
  /** Set if a plugin denied the call, which was not executed. */
  readonly denied?: Denial;
}

/** The plugin that denied a tool call, and its reason. */
export interface Denial {
  readonly by: string;
  readonly reason?: string;
}

/** A part of a model's answer, distinguished by `type`. */
export type AssistantPart =
  | TextPart
  | ReasoningPart
  | ToolCallPart
  | FilePart
  | SourcePart
  | ProviderCallPart
  | ProviderResultPart;
/** A message of a session, distinguished by `role`. Frozen, and plain JSON. */
export type Message = UserMessage | SystemMessage | AssistantMessage | ToolMessage;

/** A message before the core has given it an id; a string as the content means one text part. */
export type MessageInput =
  | (Omit<UserMessage, 'id' | 'content'> & {
      readonly id?: string;
      readonly content: string | UserMessage['content'];
    })
  | (Omit<SystemMessage, 'id' | 'content'> & {
      readonly id?: string;
      readonly content: string | SystemMessage['content'];
    })
  | (Omit<AssistantMessage, 'id' | 'content'> & {
      readonly id?: string;
      readonly content: string | AssistantMessage['content'];
    })
  | (Omit<ToolMessage, 'id' | 'content'> & {
      readonly id?: string;
      readonly content: string | ToolMessage['content'];
    });

/** The input of `agent.run`: the text of a user message, a message, or several. */
export type Input = string | MessageInput | readonly MessageInput[];

const contentTypes: Record<Message['role'], readonly string[]> = {
  user: ['text', 'file'],
  system: ['text'],
  assistant: ['text', 'reasoning', 'tool-call', 'file', 'source', 'provider-call', 'provider-result'],
  tool: ['text', 'file'],
};

/** Converts input to messages; `newId` creates missing ids. @throws `MESSAGE_INVALID`, `VALUE_NOT_JSON` */
export function toMessages(input: Input, newId: () => string, plugin?: string): Message[] {
  if (typeof input === 'string' && input.trim() !== '')
    return [wholeMessage({ role: 'user', content: Object.freeze([textPart(input)]), id: newId() })];
  if (input === undefined || input === null) throw invalid(`the input is ${String(input)}`, plugin);
  if (typeof input === 'string') throw invalid('the input is blank; write what the agent is asked', plugin);
  const list: readonly MessageInput[] = isList(input) ? input : [input];
  const messages = list.map((message) => toMessage(message, newId, plugin));
  if (messages.length > 0 && messages.every(isBlankQuestion))
    throw invalid('the input has neither text nor a file; write what the agent is asked', plugin);
  return messages;
}

/** Returns true for a blank user message: providers would reject it in every later request. */
function isBlankQuestion({ role, content }: Message): boolean {
  return role === 'user' && content.every((part) => part.type === 'text' && part.text.trim() === '');
}

/**
 * A constructor that returns its argument, so that a subclass adds its private members to any object. Other code can
 * neither read, copy nor forge such a stamp. It must be added before the object is frozen, and costs a tenth of a
 * WeakSet.
 */
const Stamp = function stamped(object: object): object {
  return object;
} as unknown as new (object: object) => object;

/** Marks a message that is completed, validated and frozen here before anybody else can see it. */
class WholeMessage extends Stamp {
  readonly #isWhole = true;

  static is(message: object): message is Message {
    return #isWhole in message && message.#isWhole;
  }
}

/**
 * Completes, validates, copies and freezes a message. A message that was created here is returned unchanged. @throws
 * `MESSAGE_INVALID`, `VALUE_NOT_JSON`
 */
export function toMessage(input: MessageInput, newId: () => string, plugin?: string): Message {
  if (isWholeMessage(input)) return input;
  if (typeof input !== 'object' || input === null)
    throw invalid(`a message is ${describeValue(input)}`, plugin);
  const types = contentTypes[input.role];
  if (types === undefined || !Object.hasOwn(contentTypes, input.role)) {
    throw invalid(`a message has the role ${describeValue(input.role)}`, plugin);
  }
  const content = typeof input.content === 'string' ? [textPart(input.content)] : input.content;
  const fault = contentFault(content, input.role);
  if (fault !== undefined) throw invalid(`in a message of the role ${input.role}, ${fault}`, plugin);
  for (const part of content) requireCallId(part, plugin);
  if (input.role === 'tool' && (typeof input.callId !== 'string' || typeof input.name !== 'string')) {
    throw invalid('a tool message has no callId or name', plugin);
  }
  return completeMessage(input, content, newId, plugin);
}

/** Completes, copies and freezes a message with a validated role and content. @throws `VALUE_NOT_JSON` */
export function completeMessage(
  input: MessageInput,
  content: Message['content'],
  newId: () => string,
  plugin?: string,
): Message {
  // The cast is safe: role and content are valid.
  const parts = [...content];
  const message = { ...input, id: input.id ?? newId(), content: parts } as Message;
  void new WholeMessage(message);
  freezeMade(message, parts, 'the message', plugin);
  return message;
}

/** Freezes a message whose members are known to be frozen JSON, without checking them. */
export function wholeMessage<M extends Message>(message: M): M {
  void new WholeMessage(message);
  return Object.freeze(message);
}

/** Returns true for a message that was completed, validated and frozen here. */
export function isWholeMessage(message: unknown): message is Message {
  return typeof message === 'object' && message !== null && WholeMessage.is(message);
}

/**
 * Returns the fault in the content of a message of this role: the member, and the problem; undefined if it is valid.
 * Ids of calls may be missing.
 */
export function contentFault(content: unknown, role: Message['role']): string | undefined {
  if (!Array.isArray(content)) return `content is ${describeValue(content)}; use an array of parts`;
  for (let index = 0; index < content.length; index += 1) {
    const fault = partFault(content[index], contentTypes[role]);
    if (fault !== undefined) return `content[${index}]${fault}`;
  }
  return undefined;
}

const named: ReadonlySet<string> = new Set(['tool-call', 'provider-call', 'provider-result']);

/** A part of unvalidated content. */
interface PartLike {
  readonly type?: unknown;
  readonly text?: unknown;
  readonly name?: unknown;
  readonly mediaType?: unknown;
}

function partFault(part: unknown, types: readonly string[]): string | undefined {
  if (typeof part !== 'object' || part === null) return ` is ${describeValue(part)}; use a part`;
  const { type, text, name, mediaType }: PartLike = part;
  if (typeof type !== 'string' || !types.includes(type)) {
    return `.type is ${describeValue(type)}; use one of ${types.join(', ')}`;
  }
  if ((type === 'text' || type === 'reasoning') && typeof text !== 'string') {
    return `.text is ${describeValue(text)}; it must be a string`;
  }
  if (named.has(type) && typeof name !== 'string') {
    return `.name is ${describeValue(name)}; it must be a string`;
  }
  if (type === 'file' && typeof mediaType !== 'string') {
    return `.mediaType is ${describeValue(mediaType)}; it must be a string`;
  }
  return undefined;
}

function requireCallId(part: AssistantPart, plugin?: string): void {
  if (part.type === 'tool-call' && typeof part.id !== 'string') {
    throw invalid(`the id of the call of ${part.name} is ${describeValue(part.id)}`, plugin);
  }
}

/**
 * Returns the text of a message. The text parts of a tool result are joined by line breaks; those of other messages,
 * which may be pieces of one text, without a separator.
 */
export function textOf(
  message:
    | Pick<Message, 'role' | 'content'>
    | { readonly role?: never; readonly content: ToolMessage['content'] },
): string {
  const isResult = message.role === undefined || message.role === 'tool';
  let text = '';
  for (const part of message.content) {
    if (part.type !== 'text') continue;
    if (isResult && text !== '' && part.text !== '' && !text.endsWith('\n')) text += '\n';
    text += part.text;
  }
  return text;
}

/** Returns the tool calls of a message, in order; none unless it is an assistant message. */
export function toolCallsOf(message: Message): ToolCallPart[] {
  const calls: ToolCallPart[] = [];
  if (message.role !== 'assistant') return calls;
  const { content } = message;
  // By index, because V8's filter is four times slower on a frozen array, and its iterator twice.
  for (let index = 0; index < content.length; index += 1) {
    const part = content[index];
    if (part?.type === 'tool-call') calls.push(part);
  }
  return calls;
}

/** Returns a frozen text part. */
export function textPart(text: string): TextPart {
  return Object.freeze({ type: 'text', text });
}

/** Returns true for an input of several messages. */
export function isList(input: Input): input is readonly MessageInput[] {
  return Array.isArray(input);
}

function invalid(what: string, plugin?: string): ShallotError {
  return new ShallotError('MESSAGE_INVALID', {
    message: `A message is not valid: ${what}. See the message types exported by @shallot/core.`,
    plugin,
  });
}
