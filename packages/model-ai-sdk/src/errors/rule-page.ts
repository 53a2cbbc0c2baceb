const claude = 'https://platform.claude.com/docs/en';
const openai = 'https://developers.openai.com/api/docs/guides';
const gemini = 'https://ai.google.dev/gemini-api/docs';
const bedrock = 'https://docs.aws.amazon.com/bedrock/latest';

/** The words in which vendors refuse a request for its shape or size, and their pages with the rule. */
const pages: readonly (readonly [RegExp, string])[] = [
  [
    /non-whitespace text|text content blocks must be non-empty|non-empty content|roles must alternate|first message must use|must end with a user message|assistant message prefill/i,
    `${claude}/build-with-claude/working-with-messages`,
  ],
  [
    /`?tool_use`? ids? (?:was|were) found without|`?tool_result`? blocks?|tool_use\.id|tools\S*: (?:custom\.)?name: String should match/i,
    `${claude}/agents-and-tools/tool-use/implement-tool-use`,
  ],
  [
    /expected `?thinking`?|cannot (?:be|contain) `?thinking|thinking\.signature|budget_tokens|thinking may not be/i,
    `${claude}/build-with-claude/extended-thinking`,
  ],
  [/blocks with cache_control/i, `${claude}/build-with-claude/prompt-caching`],
  [/image exceeds|too many images|many-image requests/i, `${claude}/build-with-claude/vision`],
  [
    /maximum allowed number of bytes|must be no more than 20 MB/i,
    `${claude}/api/overview#request-size-limits`,
  ],
  [
    /tool_calls' must be followed|must be a response to a preceding|no tool (?:output|call) found|'tools': array too long|(?:name|id)'.*(?:does not match pattern|string too long)/i,
    `${openai}/function-calling`,
  ],
  [/invalid schema for (?:response_format|function)/i, `${openai}/structured-outputs`],
  [/'reasoning' was provided without|encrypted content|not persisted when/i, `${openai}/reasoning`],
  [/file must be under|files of a request/i, `${openai}/file-inputs`],
  [/image inputs per request/i, `${openai}/images-vision`],
  [
    /expected a string, got null|'messages': empty array|required parameter: 'input'/i,
    `${openai}/conversation-state`,
  ],
  [/thought_signature/i, `${gemini}/thought-signatures`],
  [
    /function response parts|function call turn|multiturn requests|invalid function name/i,
    `${gemini}/function-calling`,
  ],
  [/contents\.parts must not|at least one parts field/i, `${gemini}/text-generation`],
  [/payload size exceeds|PDF file in a request/i, `${gemini}/file-input-methods`],
  [/document name can only/i, `${bedrock}/APIReference/API_runtime_DocumentBlock.html`],
  [
    /ContentBlock|Message object is empty|conversation must start with|text block must be included|(?:image|document\b.*) must be no more than|up to 20 images|more than 5 documents|duplicate document names/i,
    `${bedrock}/APIReference/API_runtime_Message.html`,
  ],
  [/cache checkpoints/i, `${bedrock}/userguide/prompt-caching.html`],
  [/toolUse|toolResult|toolConfig/, `${bedrock}/userguide/tool-use-inference-call.html`],
];

/** Returns the vendor's page with the rule that a refusal names; undefined if it is about something else. */
export function rulePage(message: string): string | undefined {
  return pages.find(([words]) => words.test(message))?.[1];
}
