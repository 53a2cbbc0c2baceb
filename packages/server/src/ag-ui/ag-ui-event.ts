/** The version of AG-UI that the server speaks. */
export const protocolVersion = '1.0';

/** An event of AG-UI. The fields of each type are those of `@ag-ui/core`. */
export interface AgUiEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** A message in the form in which clients of AG-UI keep it. */
export interface AgUiMessage {
  readonly id: string;
  readonly role: 'user' | 'assistant' | 'tool' | 'reasoning';
  readonly content?: AgUiContent;
  readonly toolCalls?: readonly AgUiToolCall[];
  /** The call that a result answers. */
  readonly toolCallId?: string;
  readonly metadata?: object;
}

/** A string, or a list of parts if the content has files. */
export type AgUiContent = string | readonly object[];

export interface AgUiToolCall {
  readonly id: string;
  readonly type: 'function';
  /** The name of the tool, and the arguments as JSON text. */
  readonly function: { readonly name: string; readonly arguments: string };
  readonly metadata?: object;
}
