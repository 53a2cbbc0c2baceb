import type { JsonObject } from '@shallot/core';

/** A server's question to a person: values for a form, or a page to visit. */
export type ElicitQuestion = {
  readonly server: string;
  /** The message of the server, for a person. */
  readonly message: string;
} & (
  | {
      readonly mode: 'form';
      /** The JSON Schema of an object with strings, numbers, booleans and choices. */
      readonly requestedSchema: JsonObject;
    }
  | {
      readonly mode: 'url';
      /** The `http` or `https` URL of the page. */
      readonly url: string;
    }
);

/**
 * The answer: `accept` with the values of a form, or after visiting the page; `decline` refuses, `cancel` makes no
 * decision.
 */
export type ElicitAnswer =
  | { readonly action: 'accept'; readonly content?: JsonObject }
  | { readonly action: 'decline' | 'cancel' };

/** Asks a person in this process. The signal is aborted when the answer is no longer needed. */
export type Elicit = (
  question: ElicitQuestion,
  context: { readonly signal: AbortSignal },
) => ElicitAnswer | Promise<ElicitAnswer>;
