/** The version of AG-UI that the server speaks. */
export const protocolVersion = '1.0';

/** An event of AG-UI. The fields of each type are those of `@ag-ui/core`. */
export interface AgUiEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** A message as clients of AG-UI keep it. */
export interface AgUiMessage {
  readonly id: string;
  readonly role: 'user' | 'assistant' | 'tool' | 'reasoning';
  readonly content?: AgUiContent;
  readonly toolCalls?: readonly AgUiToolCall[];
  /** The call that a result answers. */
  readonly toolCallId?: string;
  readonly metadata?: object;
}

/** A string, or parts where there are files. */
export type AgUiContent = string | readonly object[];

export interface AgUiToolCall {
  readonly id: string;
  readonly type: 'function';
  /** The arguments are JSON as text. */
  readonly function: { readonly name: string; readonly arguments: string };
  readonly metadata?: object;
}
