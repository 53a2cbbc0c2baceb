import { option } from '@shallot/core/plugin';

import { anyJson } from './shapes.ts';

const text = option.text();
const id = option.text('1 to 200 characters', /^.{1,200}$/s);
const open = option.record(option.anything());

const messageShape = {
  id: id.required(),
  role: option.oneOf('developer', 'system', 'assistant', 'user', 'tool', 'activity', 'reasoning').required(),
  content: option.anything(),
  name: text,
  toolCalls: option.list(open),
  toolCallId: text,
  error: text,
  activityType: text,
  encryptedValue: text,
  subagentRunId: text,
  metadata: open,
};

const resumeShape = {
  interruptId: text.required(),
  status: option.oneOf('resolved', 'cancelled').required(),
  payload: anyJson,
  metadata: open,
};

/** The input of a run of AG-UI. */
export const agUiInputShape = {
  threadId: id.required().describe('The id of the session. The first message creates it.'),
  runId: id.required().describe('The id of the run for the client. Ours is in the metadata of its end.'),
  messages: option
    .list(option.object(messageShape))
    .required()
    .describe('The conversation. Without a new message of the user the last run is followed.'),
  resume: option.list(option.object(resumeShape)).describe('Answers to all open interrupts.'),
  tools: option
    .list(open)
    .describe('Tools of the page: a call of one is an interrupt, and its result the payload of `resume`.'),
  forwardedProps: option
    .anything()
    .describe('`shallot` in it has the members `abandon`, `output` and `onDisconnect` of a run.'),
  context: option.list(open).describe('Not read.'),
  state: option.anything().describe('Not read.'),
  parentRunId: text.describe('Not read.'),
  protocolVersion: text.describe('Not read.'),
};
