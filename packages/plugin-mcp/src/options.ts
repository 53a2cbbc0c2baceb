import { option, optionsSchema, type StandardSchemaWithJson } from '@shallot/core/plugin';

import type { Elicit } from './questions/question.ts';

/** The OAuth login to a server. Without these options, the plugin registers itself with the server's issuer. */
export interface OAuthOptions {
  /** The id of a registered client, or the https URL of a client metadata document. */
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** The issuer that the id and the secret are for; they are sent to no other. */
  readonly issuer?: string;
  /** The scopes to request. Default: those that the server names. */
  readonly scope?: string;
  /** The port of the local redirect page of `shallot mcp login`. Default: any free port. */
  readonly port?: number;
  /** The source of the token: the login of a person, or the client's own id and secret. Default: `person`. */
  readonly grant?: 'person' | 'client';
}

/** An MCP server: `command` for a program to start, `url` for a server reached over HTTP. */
export interface ServerOptions {
  readonly command?: string;
  readonly args?: readonly string[];
  /** Variables for the command, in addition to the few that every server gets (`PATH`, `HOME`, …). Default: none. */
  readonly env?: Readonly<Record<string, string>>;
  /** The working directory of the command. Default: that of the config file. */
  readonly cwd?: string;
  readonly url?: string;
  /** Headers sent with each request. Default: none. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly oauth?: OAuthOptions | false;
  /**
   * Private addresses or ranges that login requests may connect to if the server's metadata names them: `10.0.0.0/8`.
   * Default: none.
   */
  readonly allowAddresses?: readonly string[];
  /** Patterns of the tools to use, with `*`. Default: all. */
  readonly include?: readonly string[];
  /** Patterns of tools to leave out, with `*`. Default: none. */
  readonly exclude?: readonly string[];
  /** Names for tools in this agent, instead of `SERVER_TOOL`: `{ "read_*": "notes_*" }`. Default: none. */
  readonly rename?: Readonly<Record<string, string>>;
  /** Adds tools that list and read the server's resources. Default: false. */
  readonly resources?: boolean;
  /** Adds tools that list and fill in the server's prompts. Default: false. */
  readonly prompts?: boolean;
  /** Adds the server's instructions to those of the agent. Default: false. */
  readonly instructions?: boolean;
  /** Trusts the server's hints about its tools: read-only, idempotent. Default: false. */
  readonly trusted?: boolean;
  /** Starts the agent without the server if connecting to it fails. Default: false. */
  readonly optional?: boolean;
  /** Uses the server. Default: true. */
  readonly enabled?: boolean;
  /**
   * Does not ask for protocol revision 2026-07-28, because a few older servers never respond to that. Default: false.
   */
  readonly legacy?: boolean;
  /** The time limit for starting the server, in milliseconds. Default: 30,000. */
  readonly startTimeoutMs?: number;
  /** The time limit for a call without progress, in milliseconds. Default: 60,000. */
  readonly callTimeoutMs?: number;
  /** The time limit for a whole call, however much progress it reports, in milliseconds. Default: 1,800,000. */
  readonly maxCallMs?: number;
  /**
   * The maximum text of a result, in characters. If a text is too long for the model, the model gets its head, its
   * tail and the path of the whole. Default: 8,000,000.
   */
  readonly maxResultChars?: number;
  /** The maximum size of the files of a result, in bytes. Default: 8,388,608. */
  readonly maxFileBytes?: number;
}

/** Options of the plugin: the servers, and the handling of their questions. */
export interface McpOptions {
  /** The servers by name. An entry for a server of `mcpJson` adds options to it. Default: those of `mcpJson` alone. */
  readonly servers?: Readonly<Record<string, ServerOptions>>;
  /** The path of a file with `mcpServers`, such as `.mcp.json`. Default: none. */
  readonly mcpJson?: string;
  /** The directory for tokens. Default: `.shallot/mcp`. */
  readonly tokens?: string;
  /**
   * The file of the tool definitions that were accepted; false keeps none. Default: `.shallot/mcp-tools.json` with a
   * config file, none in code.
   */
  readonly definitions?: string | false;
  /**
   * Answers questions for which a server keeps a call open (protocol revisions before 2026-07-28). Default: they are
   * declined. In code only.
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
  instructions: option.boolean().describe("Adds the server's instructions to those of the agent."),
  trusted: option.boolean().describe("Whether the server's hints about its tools count."),
  optional: option.boolean().describe('Whether the agent starts without the server if that fails.'),
  enabled: option.boolean().describe('Whether the server is used.'),
  legacy: option.boolean().describe('Skips the question whether the server speaks revision 2026-07-28.'),
  startTimeoutMs: option.integer({ min: 1 }).describe('How long the start may take. Default: 30,000.'),
  callTimeoutMs: option
    .integer({ min: 1 })
    .describe('How long a call may take without a sign of progress. Default: 60,000.'),
  maxCallMs: option
    .integer({ min: 1 })
    .describe('The time limit for a whole call, with all its progress. Default: 1,800,000.'),
  maxResultChars: option
    .integer({ min: 1000 })
    .describe('Characters of text that are taken of one result. Default: 8,000,000.'),
  maxFileBytes: option
    .integer({ min: 0 })
    .describe('Bytes of files that are taken of one result. Default: 8,388,608.'),
});

/** The options with defaults. */
export type McpSettings = McpOptions & Required<Pick<McpOptions, 'servers' | 'tokens'>>;

/** The schema of the options; also available as JSON Schema, for editors of config files. */
export const mcpOptions: StandardSchemaWithJson<McpOptions, McpSettings> = optionsSchema({
  servers: option.record(serverOption).default({}).describe('The servers, by name.'),
  mcpJson: option.text('the path of a file', /\S/).describe('A file with mcpServers, such as .mcp.json.'),
  tokens: option
    .text('the path of a directory', /\S/)
    .default('.shallot/mcp')
    .describe('Where tokens are kept that a login brought.'),
  definitions: option
    .either(option.oneOf(false), option.text('the path of a file', /\S/))
    .describe('The file of the tool definitions that were accepted; false keeps none.'),
  elicit: option.callback<Elicit>(),
});
