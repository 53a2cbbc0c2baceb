export { mcp, mcp as default } from './mcp.ts';
export type { McpOptions, OAuthOptions, ServerOptions } from './options.ts';
export type { Elicit, ElicitAnswer, ElicitQuestion } from './questions/question.ts';
