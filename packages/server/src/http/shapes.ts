import type { JsonSchema, JsonValue } from '@shallot/core';
import { option } from '@shallot/core/plugin';

import { chosenId } from '../access/session-ids.ts';

/** Any JSON value. The cast is safe, because bodies are parsed from JSON. */
export const anyJson = option.anything().map((value): JsonValue => value as JsonValue);

/** Casts a value to a schema. Bodies are JSON, and the agent checks a schema when it compiles it. */
const asSchema = (value: Readonly<Record<string, unknown>>): JsonSchema => value as JsonSchema;

const text = option.text();
const count = option.integer({ min: 0 });

const textPart = { type: option.oneOf('text').required(), text: option.text('a string').required() };
const filePart = {
  type: option.oneOf('file').required(),
  mediaType: option.text('a media type such as image/png', /^[\w.+-]+\/[\w.+-]+$/).required(),
  data: option.text('base64', /^[A-Za-z0-9+/]*={0,2}$/),
  url: option.text('a URL that begins with https://', /^https:\/\//),
  name: option.text('a file name', /^[^/\\\p{Cc}]{1,255}$/u),
};

/** The content of a user message: a string, or parts. */
export const content = option.either(
  option.text('a string that is not blank', /\S/),
  option.list(option.either(option.object(textPart), option.object(filePart)), { min: 1 }),
);

/** Options of a new run, in addition to its input. */
export const runTerms = {
  abandon: option.boolean().describe('Abandons an unfinished or interrupted run of the session.'),
  output: option
    .record(option.anything())
    .map(asSchema)
    .describe('A JSON Schema that the answer must match.'),
  onDisconnect: option
    .oneOf('continue', 'stop')
    .default('continue')
    .describe('With stop, the run ends after its step when the client that waits for it is gone.'),
};

/** The agent in the form in which clients see it. */
export const agentShape = {
  name: text.required(),
  id: text,
  version: text,
  description: text,
  tools: option.list(option.object({ name: text.required(), description: text, title: text })).required(),
  limits: option
    .object({
      bodyBytes: option.integer({ min: 1 }).required().describe('The largest body, files included.'),
    })
    .required(),
};

export const title = option.text(
  '1 to 100 characters, none of them a control character',
  /^[^\p{Cc}\p{Cs}]{1,100}$/u,
);
export const chosen = option.text('1 to 100 letters, digits and . _ : @ -', chosenId);

const interruptShape = {
  id: text.required(),
  kind: text.required(),
  plugin: text.required(),
  payload: option.anything(),
  answerSchema: option.record(option.anything()).required(),
  createdAt: text.required(),
  call: option.record(option.anything()),
};

/** A run in the form in which clients see it. */
export const runShape = {
  runId: text.required(),
  sessionId: text.required(),
  status: option.oneOf('running', 'completed', 'interrupted', 'aborted', 'failed', 'parked').required(),
  isOpen: option
    .boolean()
    .required()
    .describe('True while somebody works on it, or will without being asked.'),
  stopReason: text,
  steps: count.required(),
  usage: option.record(option.anything()).required(),
  startedAt: text.required(),
  text: text.describe('The answer, of a run that is completed.'),
  interrupts: option.list(option.object(interruptShape)).required(),
  failure: option.object({ code: text.required(), message: text.required() }),
};

/** A session in the form in which clients see it. */
export const sessionShape = {
  id: text.required(),
  title: text,
  owner: text,
  createdAt: text.required(),
  updatedAt: text.required(),
  run: option.object(runShape),
};

export const summaryShape = {
  id: text.required(),
  title: text,
  owner: text,
  status: text,
  agent: text,
  messages: count.required(),
  interrupts: count.required(),
  createdAt: text.required(),
  updatedAt: text.required(),
};

/** A message as it is stored. */
export const messageShape = {
  id: text.required(),
  role: option.oneOf('user', 'assistant', 'system', 'tool').required(),
  content: option.list(option.record(option.anything())).required(),
};

const uiPart = option.record(option.anything());

/** A message in the form in which `useChat` of the AI SDK keeps it. */
export const uiMessageShape = {
  id: option.text('1 to 200 characters', /^.{1,200}$/s).required(),
  role: option.oneOf('user', 'assistant').required(),
  parts: option.list(uiPart).required(),
  metadata: option.anything(),
};

export const waitingShape = { sessionId: text.required(), ...interruptShape };
