const claude = 'https://platform.claude.com/docs/en';
const openai = 'https://developers.openai.com/api/docs/guides';
const gemini = 'https://ai.google.dev/gemini-api/docs';
const bedrock = 'https://docs.aws.amazon.com/bedrock/latest';

/** The words in which vendors refuse a conversation for its shape, and their pages with the rule. */
const pages: readonly (readonly [RegExp, string])[] = [
  [
    /non-whitespace text|text content blocks must be non-empty|roles must alternate|first message must use|must end with a user message|assistant message prefill/i,
    `${claude}/build-with-claude/working-with-messages`,
  ],
  [
    /`?tool_use`? ids? (?:was|were) found without|`?tool_result`? blocks?/i,
    `${claude}/agents-and-tools/tool-use/implement-tool-use`,
  ],
  [
    /expected `?thinking`?|cannot be `?thinking|thinking\.signature|budget_tokens|thinking may not be/i,
    `${claude}/build-with-claude/extended-thinking`,
  ],
  [/blocks with cache_control/i, `${claude}/build-with-claude/prompt-caching`],
  [
    /tool_calls' must be followed|must be a response to a preceding|no tool (?:output|call) found/i,
    `${openai}/function-calling`,
  ],
  [/invalid schema for (?:response_format|function)/i, `${openai}/structured-outputs`],
  [/'reasoning' was provided without|encrypted content|not persisted when/i, `${openai}/reasoning`],
  [/thought_signature/i, `${gemini}/thought-signatures`],
  [/function response parts|function call turn|multiturn requests/i, `${gemini}/function-calling`],
  [
    /ContentBlock|Message object is empty|conversation must start with/i,
    `${bedrock}/APIReference/API_runtime_Message.html`,
  ],
  [/toolUse|toolResult|toolConfig/, `${bedrock}/userguide/tool-use-inference-call.html`],
];

/** Returns the vendor's page with the rule that a refusal names; undefined if it is about something else. */
export function rulePage(message: string): string | undefined {
  return pages.find(([words]) => words.test(message))?.[1];
}
