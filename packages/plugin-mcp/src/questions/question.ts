import type { JsonObject } from '@shallot/core';

/** A question of a server to a person: values for a form, or a page to visit. */
export type ElicitQuestion = {
  readonly server: string;
  /** The server's words, for a person. */
  readonly message: string;
} & (
  | {
      readonly mode: 'form';
      /** A JSON Schema of an object whose members are strings, numbers, booleans and choices. */
      readonly requestedSchema: JsonObject;
    }
  | {
      readonly mode: 'url';
      /** The page to visit: `http` or `https`. */
      readonly url: string;
    }
);

/** The answer: `accept` with the values of a form, or once the page was visited; `decline` is a no, `cancel` no decision. */
export type ElicitAnswer =
  | { readonly action: 'accept'; readonly content?: JsonObject }
  | { readonly action: 'decline' | 'cancel' };

/** Asks a person in this process. The signal is aborted when nobody waits for the answer any more. */
export type Elicit = (
  question: ElicitQuestion,
  context: { readonly signal: AbortSignal },
) => ElicitAnswer | Promise<ElicitAnswer>;
