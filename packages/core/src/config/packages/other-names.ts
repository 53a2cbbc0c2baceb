/** The plugin, and the option if it has several functions, for a name known from another system. */
export interface KnownAs {
  readonly plugin: string;
  readonly option?: string;
}

/** Names in other systems for functions of our plugins. Spaces, case and hyphens are ignored. */
export const otherNames: Readonly<Record<string, KnownAs>> = {
  'tool call limit': { plugin: 'limits', option: 'toolCalls' },
  'model call limit': { plugin: 'limits', option: 'modelCalls' },
  'token limit': { plugin: 'limits', option: 'tokens' },
  'token budget': { plugin: 'limits', option: 'tokens' },
  'cost limit': { plugin: 'limits', option: 'cost' },
  budget: { plugin: 'limits', option: 'cost' },
  'usage limits': { plugin: 'limits' },
  'model retry': { plugin: 'resilience', option: 'modelRetry' },
  'tool retry': { plugin: 'resilience', option: 'toolRetry' },
  retry: { plugin: 'resilience', option: 'modelRetry' },
  backoff: { plugin: 'resilience', option: 'modelRetry' },
  'model fallback': { plugin: 'resilience', option: 'modelFallback' },
  fallback: { plugin: 'resilience', option: 'modelFallback' },
  'circuit breaker': { plugin: 'resilience', option: 'circuitBreaker' },
  timeout: { plugin: 'resilience', option: 'timeouts' },
  timeouts: { plugin: 'resilience', option: 'timeouts' },
  'context editing': { plugin: 'context-editing' },
  'clear tool uses': { plugin: 'context-editing', option: 'clearToolResults' },
  'tool result clearing': { plugin: 'context-editing', option: 'clearToolResults' },
  'trim messages': { plugin: 'context-editing', option: 'lastN' },
  'message history limit': { plugin: 'context-editing', option: 'lastN' },
  'sliding window': { plugin: 'context-editing', option: 'lastN' },
  PII: { plugin: 'redaction' },
  'PII detection': { plugin: 'redaction' },
  anonymization: { plugin: 'redaction' },
  'data masking': { plugin: 'redaction' },
  'secret redaction': { plugin: 'redaction' },
  'tool selector': { plugin: 'toolset', option: 'search' },
  'LLM tool selector': { plugin: 'toolset', option: 'search' },
  'tool search': { plugin: 'toolset', option: 'search' },
  'tool filter': { plugin: 'toolset', option: 'hide' },
  'prompt cache': { plugin: 'prompt-caching' },
  'cache control': { plugin: 'prompt-caching' },
  'Anthropic prompt caching': { plugin: 'prompt-caching' },
  'tool call repair': { plugin: 'repair' },
  'JSON repair': { plugin: 'repair' },
  'patch tool calls': { plugin: 'repair' },
  'human in the loop': { plugin: 'hitl' },
  'tool approval': { plugin: 'hitl' },
  approvals: { plugin: 'hitl' },
  'sub-agents': { plugin: 'subagents' },
  'multi-agent': { plugin: 'subagents' },
  delegation: { plugin: 'subagents' },
  'task tool': { plugin: 'subagents' },
  compaction: { plugin: 'summarization' },
  'conversation summary': { plugin: 'summarization' },
  'context compression': { plugin: 'summarization' },
  'MCP servers': { plugin: 'mcp', option: 'servers' },
  'MCP client': { plugin: 'mcp' },
  'model context protocol': { plugin: 'mcp' },
  '.mcp.json': { plugin: 'mcp', option: 'mcpJson' },
  'pre tool use': { plugin: 'hooks' },
  'shell hooks': { plugin: 'hooks' },
  webhooks: { plugin: 'hooks' },
  guardrails: { plugin: 'guard' },
  moderation: { plugin: 'guard' },
  'prompt injection': { plugin: 'guard' },
  'todo list': { plugin: 'todo' },
  'write todos': { plugin: 'todo' },
  planning: { plugin: 'todo' },
  'ask user question': { plugin: 'ask-user' },
  clarification: { plugin: 'ask-user' },
  'web fetch': { plugin: 'fetch' },
  'fetch URL': { plugin: 'fetch' },
  'web pages': { plugin: 'fetch' },
  bash: { plugin: 'shell' },
  'shell tool': { plugin: 'shell' },
  terminal: { plugin: 'shell' },
  'run commands': { plugin: 'shell' },
  files: { plugin: 'filesystem' },
  'file system': { plugin: 'filesystem' },
  'file tools': { plugin: 'filesystem' },
  'file search': { plugin: 'filesystem' },
  'AGENTS.md': { plugin: 'memory' },
  'long-term memory': { plugin: 'memory' },
  'agent skills': { plugin: 'skills' },
  tracing: { plugin: 'telemetry' },
  OpenTelemetry: { plugin: 'telemetry' },
  observability: { plugin: 'telemetry' },
};

const byPlainName = new Map(Object.entries(otherNames).map(([name, known]) => [plain(name), known]));

/** Returns our equivalent of another system's name, as a config may spell it: `piiMiddleware`, `tool-call-limit`. */
export function knownAs(name: string): KnownAs | undefined {
  return (
    byPlainName.get(plain(name)) ??
    byPlainName.get(plain(name).replace(/(?:middleware|plugin|processor)$/, ''))
  );
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[^a-z\d]/g, '');
}
