import { option } from '@shallot/core/plugin';

import { unread, unreadMembers } from './completion-body.ts';

const text = option.text();
const record = option.record(option.anything());
const nothing = option.oneOf(null);

/** The body of a request for a response. */
export const responseBody = {
  model: text.required().describe('The name of the agent, as `GET /v1/models` lists it.'),
  input: option
    .either(option.text('a string that is not blank', /\S/), option.list(record, { min: 1 }))
    .required()
    .describe(
      'The last item is a message of the user, or the last ones are results of calls, or answers for approval.',
    ),
  previous_response_id: option
    .either(text, nothing)
    .describe(
      'The response that goes on. After one that is not the last of its session a fork of that begins.',
    ),
  instructions: option.either(text, nothing).describe('A text before the input.'),
  stream: option.either(option.boolean(), nothing),
  tools: option
    .list(record)
    .default([])
    .describe(
      'Tools of the type `function`, which the client executes, and one of the type `mcp` with the name of the agent as `server_label`: it shows the calls of the agent, and asks for approval.',
    ),
  tool_choice: option.oneOf('auto', 'none').default('auto'),
  text: option
    .object({ format: record, verbosity: unread })
    .describe('`format`: a JSON Schema that the answer must match.'),
  include: unread,
  max_output_tokens: unread,
  max_tool_calls: unread,
  reasoning: unread,
  stream_options: unread,
  top_logprobs: unread,
  truncation: unread,
  ...unreadMembers,
};
