/** A part of the AI SDK's UI message stream. The fields of each type are those that `ai` 7 reads. */
export interface UiChunk {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** A part of a UI message. */
export type UiPart = UiChunk;

/** A message in the form in which `useChat` keeps it. */
export interface UiMessage {
  readonly id: string;
  readonly role: 'user' | 'assistant';
  readonly parts: readonly UiPart[];
  readonly metadata?: object;
}
