import { option } from '@shallot/core/plugin';

const text = option.text();
const record = option.record(option.anything());
export const unread = option.anything().describe('Not read: the agent has its own settings.');

/** Members of requests that are ignored: the agent decides these itself, or they are only meant for OpenAI. */
export const unreadMembers = {
  max_completion_tokens: unread,
  max_tokens: unread,
  metadata: unread,
  parallel_tool_calls: unread,
  prompt_cache_key: unread,
  prompt_cache_retention: unread,
  reasoning_effort: unread,
  safety_identifier: unread,
  seed: unread,
  service_tier: unread,
  stop: unread,
  temperature: unread,
  top_p: unread,
  user: unread,
  verbosity: unread,
  frequency_penalty: unread,
  presence_penalty: unread,
  logit_bias: unread,
  store: unread,
};

/** The body of a request for a chat completion. */
export const completionBody = {
  model: text.required().describe('The name of the agent, as `GET /v1/models` lists it.'),
  messages: option
    .list(record, { min: 1 })
    .required()
    .describe('The last one is of the user, or the last ones are results of calls.'),
  stream: option.either(option.boolean(), option.oneOf(null)),
  stream_options: option.either(record, option.oneOf(null)),
  tools: option.list(record).default([]).describe('Tools that the client executes.'),
  tool_choice: option.oneOf('auto', 'none').default('auto'),
  response_format: record.describe('A JSON Schema that the answer must match.'),
  n: option.integer({ min: 1, max: 1 }),
  ...unreadMembers,
};
