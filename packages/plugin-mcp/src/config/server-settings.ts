import { resolve } from 'node:path';

import { ShallotError } from '@shallot/core';
import { option, optionsSchema, type PluginSetup, type SourceLocation } from '@shallot/core/plugin';

import type { McpSettings, OAuthOptions, ServerOptions } from '../options.ts';
import { readMcpJson } from './read-mcp-json.ts';

interface CommonSettings {
  readonly name: string;
  /** The place of the server in the config, for errors. */
  readonly at: SourceLocation | undefined;
  readonly optional: boolean;
  readonly trusted: boolean;
  readonly legacy: boolean;
  readonly resources: boolean;
  readonly prompts: boolean;
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  readonly rename: Readonly<Record<string, string>>;
  readonly startTimeoutMs: number;
  readonly callTimeoutMs: number;
  readonly maxCallMs: number;
  readonly instructions: boolean;
  readonly maxResultChars: number;
  readonly maxFileBytes: number;
}

/** A server started as a program, which communicates over its standard input and output. */
export interface ProgramSettings extends CommonSettings {
  readonly kind: 'program';
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** A server reached over HTTP. */
export interface HttpSettings extends CommonSettings {
  readonly kind: 'http';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined if OAuth is disabled. */
  readonly oauth: OAuthOptions | undefined;
  /** Private addresses that login requests may connect to. */
  readonly allowAddresses: readonly string[];
}

export type ServerSettings = ProgramSettings | HttpSettings;

/** The place from which relative paths and variables in the options are resolved. */
export interface OptionsPlace {
  readonly directory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly protect?: PluginSetup['protect'];
  readonly locateOption?: ((path: readonly string[]) => SourceLocation) | undefined;
}

/**
 * Returns the enabled servers of the options, then those of the `mcpJson` file. Protects the files of their programs from
 * tools. @throws `mcp/CONFIG_INVALID` with all faults
 */
export async function resolveServers(
  { servers, mcpJson }: Pick<McpSettings, 'servers' | 'mcpJson'>,
  place: OptionsPlace,
): Promise<readonly ServerSettings[]> {
  const listed = mcpJson === undefined ? {} : await readMcpJson(resolve(place.directory, mcpJson), place);
  const names = [...new Set([...Object.keys(servers), ...Object.keys(listed)])];
  const settings: ServerSettings[] = [];
  const faults: string[] = [];
  for (const name of names) {
    const options = { ...listed[name], ...servers[name] };
    if (options.enabled === false) continue;
    const at = place.locateOption?.(servers[name] === undefined ? ['mcpJson'] : ['servers', name]);
    const resolved = (await headerFault(options)) ?? settingsOf({ name, at }, options, place.directory);
    if (typeof resolved === 'string') faults.push(`  ${name}: ${resolved}`);
    else settings.push(resolved);
    if (typeof resolved === 'object' && resolved.kind === 'program')
      place.protect?.command([resolved.command, ...resolved.args], resolved.cwd);
  }
  if (faults.length === 0) return settings;
  throw new ShallotError('mcp/CONFIG_INVALID', {
    message: `The MCP servers are not valid:\n${faults.join('\n')}`,
  });
}

const headersSchema = optionsSchema({ headers: option.headers() });

/** Returns the fault of the first header that cannot be sent; those of a `mcpJson` file have passed no schema. */
async function headerFault({ headers }: ServerOptions): Promise<string | undefined> {
  const { issues } = await headersSchema['~standard'].validate(headers === undefined ? {} : { headers });
  const [issue] = issues ?? [];
  return issue && `its header ${JSON.stringify(issue.path?.at(-1))} ${issue.message.replace(/^it /, '')}`;
}

/** Returns the settings of a server, or a text about the fault in its options. */
function settingsOf(
  { name, at }: Pick<CommonSettings, 'name' | 'at'>,
  options: ServerOptions,
  directory: string,
): ServerSettings | string {
  const { command, url, args, env, cwd = '.', headers, oauth, allowAddresses } = options;
  if (!/^[^\p{C}/\\]{1,64}$/u.test(name)) return 'its name must be 1 to 64 characters, without slashes';
  if (command === undefined && url === undefined) return 'it has no command and no url; write one of them';
  if (command !== undefined && url !== undefined) return 'it has a command and a url; keep one of them';
  const common = { name, at, ...commonSettings(options) };
  if (command !== undefined) {
    const odd = headers ?? allowAddresses ?? oauth;
    if (odd !== undefined && odd !== false)
      return 'headers, oauth and allowAddresses are for servers with a url';
    return {
      ...common,
      kind: 'program',
      command,
      args: args ?? [],
      env: env ?? {},
      cwd: resolve(directory, cwd),
    };
  }
  if (args !== undefined || env !== undefined || options.cwd !== undefined)
    return 'args, env and cwd are for servers with a command';
  const parsed = URL.parse(url ?? '');
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) return `its url is ${JSON.stringify(url)}`;
  const hasOwn = Object.keys(headers ?? {}).some((header) => header.toLowerCase() === 'authorization');
  return {
    ...common,
    kind: 'http',
    url: parsed,
    headers: headers ?? {},
    allowAddresses: allowAddresses ?? [],
    oauth: oauth === false || (hasOwn && oauth === undefined) ? undefined : (oauth ?? {}),
  };
}

function commonSettings(options: ServerOptions): Omit<CommonSettings, 'name' | 'at'> {
  return {
    optional: options.optional ?? false,
    trusted: options.trusted ?? false,
    legacy: options.legacy ?? false,
    resources: options.resources ?? false,
    prompts: options.prompts ?? false,
    include: options.include ?? ['*'],
    exclude: options.exclude ?? [],
    rename: options.rename ?? {},
    startTimeoutMs: options.startTimeoutMs ?? 30_000,
    callTimeoutMs: options.callTimeoutMs ?? 60_000,
    maxCallMs: options.maxCallMs ?? 1_800_000,
    instructions: options.instructions ?? false,
    maxResultChars: options.maxResultChars ?? 8_000_000,
    maxFileBytes: options.maxFileBytes ?? 8 * 1024 * 1024,
  };
}
