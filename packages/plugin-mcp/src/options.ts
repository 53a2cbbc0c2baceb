import { option, optionsSchema, type StandardSchemaWithJson } from '@shallot/core/plugin';

import type { Elicit } from './questions/question.ts';

/** How to log in to a server that asks for OAuth. Without these the plugin registers itself with the server's issuer. */
export interface OAuthOptions {
  /** The id of a client that is registered already, or the https URL of a document that describes the client. */
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** The issuer that id and secret are for: they are sent to no other. */
  readonly issuer?: string;
  /** The scopes to ask for. Default: those that the server names. */
  readonly scope?: string;
  /** The port of the local page that `shallot mcp login` is sent back to. Default: a free one. */
  readonly port?: number;
  /** Where the token comes from: a person who logs in, or the client's own id and secret. Default: `person`. */
  readonly grant?: 'person' | 'client';
}

/** One MCP server: `command` for one that is started here, `url` for one that is reached over HTTP. */
export interface ServerOptions {
  readonly command?: string;
  readonly args?: readonly string[];
  /** Variables for the command, beside the few that every server gets (`PATH`, `HOME`, …). */
  readonly env?: Readonly<Record<string, string>>;
  /** The working directory of the command. Default: that of the config file. */
  readonly cwd?: string;
  readonly url?: string;
  /** Headers of each request. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly oauth?: OAuthOptions | false;
  /** Private addresses or ranges that the server's metadata may lead a login to: `10.0.0.0/8`. Default: none. */
  readonly allowAddresses?: readonly string[];
  /** The server's tools to take, by patterns with `*`. Default: all. */
  readonly include?: readonly string[];
  /** The server's tools to leave out, by patterns with `*`. */
  readonly exclude?: readonly string[];
  /** Names of tools in this agent, in place of `SERVER_TOOL`: `{ "read_*": "notes_*" }`. */
  readonly rename?: Readonly<Record<string, string>>;
  /** Adds tools that list and read the server's resources. Default: false. */
  readonly resources?: boolean;
  /** Adds tools that list and fill in the server's prompts. Default: false. */
  readonly prompts?: boolean;
  /** Whether the server's hints about its tools count: read-only, idempotent. Default: false. */
  readonly trusted?: boolean;
  /** Whether the agent starts without the server if that fails. Default: false. */
  readonly optional?: boolean;
  /** Whether the server is used. Default: true. */
  readonly enabled?: boolean;
  /** Skips the question whether the server speaks revision 2026-07-28, which a few older ones never answer. */
  readonly legacy?: boolean;
  /** How long the start may take. Default: 30,000. */
  readonly startTimeoutMs?: number;
  /** How long a call may take without a sign of progress. Default: 60,000. */
  readonly callTimeoutMs?: number;
  /** Characters of text of one result that the model gets. Default: 100,000. */
  readonly maxResultChars?: number;
}

/** Options of the plugin: the servers, and what happens to their questions. */
export interface McpOptions {
  /** The servers by name; for one that `mcpJson` lists, further options. */
  readonly servers?: Readonly<Record<string, ServerOptions>>;
  /** The path of a file with `mcpServers`, such as `.mcp.json`. */
  readonly mcpJson?: string;
  /** Where tokens are kept. Default: `.shallot/mcp`. */
  readonly tokens?: string;
  /**
   * Answers the questions of servers that wait for the answer while a call is held (revisions before 2026-07-28).
   * Without it they are declined. Code only.
   */
  readonly elicit?: Elicit;
}

const patterns = (about: string) =>
  option.list(option.text('a name, or a pattern with *', /\S/)).describe(about);

const serverOption = option.object({
  command: option.text('a program', /\S/).describe('The program that is the server.'),
  args: option.list(option.text()).describe('The arguments of the program.'),
  env: option.record(option.text()).secret().describe('Environment variables of the program.'),
  cwd: option.text('a directory', /\S/).describe("The program's working directory."),
  url: option
    .text('a URL that begins with https:// or http://', /^https?:\/\//)
    .describe('The URL of a server.'),
  headers: option.record(option.text()).secret().describe('Headers of each request to the URL.'),
  oauth: option
    .either(
      option.oneOf(false),
      option.object({
        clientId: option
          .text('a client id', /\S/)
          .describe('The id of a registered client, or the https URL of a document that describes it.'),
        clientSecret: option.text('a secret', /\S/).secret().describe('The secret of the client.'),
        issuer: option
          .text('the URL of an issuer', /^https?:\/\//)
          .describe('The issuer that id and secret are for: they are sent to no other.'),
        scope: option
          .text('scopes, separated by spaces', /\S/)
          .describe('The scopes to ask for. Default: those that the server names.'),
        port: option
          .integer({ min: 1, max: 65_535 })
          .describe('The port that `shallot mcp login` waits on. Default: a free one.'),
        grant: option
          .oneOf('person', 'client')
          .describe('Where the token comes from: a person who logs in, or id and secret. Default: person.'),
      }),
    )
    .describe('How to log in with OAuth; false: not at all.'),
  allowAddresses: option
    .list(option.addressRange())
    .describe("Private addresses or ranges that the server's metadata may lead a login to."),
  include: patterns('The tools to take. Default: all.'),
  exclude: patterns('The tools to leave out.'),
  rename: option
    .record(option.text('a name of letters, digits, _, - and at most one *', /^[A-Za-z0-9_*-]{1,64}$/))
    .describe('Names in this agent, by name or pattern of the tool.'),
  resources: option.boolean().describe('Adds tools that list and read resources.'),
  prompts: option.boolean().describe('Adds tools that list and fill in prompts.'),
  trusted: option.boolean().describe("Whether the server's hints about its tools count."),
  optional: option.boolean().describe('Whether the agent starts without the server if that fails.'),
  enabled: option.boolean().describe('Whether the server is used.'),
  legacy: option.boolean().describe('Skips the question whether the server speaks revision 2026-07-28.'),
  startTimeoutMs: option.integer({ min: 1 }).describe('How long the start may take. Default: 30,000.'),
  callTimeoutMs: option
    .integer({ min: 1 })
    .describe('How long a call may take without a sign of progress. Default: 60,000.'),
  maxResultChars: option
    .integer({ min: 1000 })
    .describe('Characters of text of one result that the model gets. Default: 100,000.'),
});

/** The options as `setup` gets them. */
export type McpSettings = McpOptions & Required<Pick<McpOptions, 'servers' | 'tokens'>>;

/** The options' schema; also as JSON Schema, for what a config file can hold. */
export const mcpOptions: StandardSchemaWithJson<McpOptions, McpSettings> = optionsSchema({
  servers: option.record(serverOption).default({}).describe('The servers, by name.'),
  mcpJson: option.text('the path of a file', /\S/).describe('A file with mcpServers, such as .mcp.json.'),
  tokens: option
    .text('the path of a directory', /\S/)
    .default('.shallot/mcp')
    .describe('Where tokens are kept that a login brought.'),
  elicit: option.callback<Elicit>(),
});
