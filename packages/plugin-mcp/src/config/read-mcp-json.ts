import { readFile } from 'node:fs/promises';

import { ShallotError } from '@shallot/core';
import { nearest, reasonOf, type PluginSetup } from '@shallot/core/plugin';

import type { ServerOptions } from '../options.ts';
import { expandVariables } from './expand-variables.ts';

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Reads the servers of a file in the format of other MCP clients: `{ "mcpServers": { "name": { "command": … } } }`, with
 * `${VAR}` and `${VAR:-default}` in commands, arguments, variables, URLs and headers. Protects the file from tools. @throws
 * `mcp/CONFIG_INVALID` with all faults
 */
export async function readMcpJson(
  path: string,
  { env, protect }: { readonly env: Env; readonly protect?: PluginSetup['protect'] | undefined },
): Promise<Readonly<Record<string, ServerOptions>>> {
  const faults: string[] = [];
  protect?.file(path);
  const servers = serversIn(await parseFile(path), faults);
  const read = Object.entries(servers).map(([name, server]) => {
    const own: string[] = [];
    const options = readServer(server, env, own);
    faults.push(...own.map((fault) => `${name}: ${fault}`));
    return [name, options] as const;
  });
  if (faults.length > 0) throw invalid(path, faults);
  return Object.fromEntries(read);
}

async function parseFile(path: string): Promise<unknown> {
  try {
    return JSON.parse((await readFile(path, 'utf8')).replace(/^\uFEFF/, ''));
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    const why = isMissing
      ? 'there is no such file. Write its path relative to the config, or remove mcpJson'
      : `it cannot be read: ${reasonOf(error)}`;
    throw invalid(path, [why], error);
  }
}

function serversIn(file: unknown, faults: string[]): Readonly<Record<string, unknown>> {
  const servers = isObject(file) ? file['mcpServers'] : undefined;
  if (isObject(servers)) return servers;
  faults.push('it has no "mcpServers", an object with the servers by name');
  return {};
}

/** The keys of this format that are used here. */
const texts = ['command', 'cwd', 'url'] as const;
const records = ['env', 'headers'] as const;
function readServer(server: unknown, env: Env, faults: string[]): ServerOptions {
  if (!isObject(server)) {
    faults.push('it is not an object');
    return {};
  }
  refuseOdd(server, faults);
  const fill = (key: string, value: unknown): string => {
    if (typeof value !== 'string') {
      faults.push(`${key} is ${JSON.stringify(value)}; write a string`);
      return '';
    }
    const { text, missing } = expandVariables(value, env);
    faults.push(
      ...missing.map(
        (name) => `${key} needs the environment variable ${name}. Set it, or write \${${name}:-default}`,
      ),
    );
    return text;
  };
  const options: Record<string, unknown> = {};
  for (const key of texts) if (key in server) options[key] = fill(key, server[key]);
  for (const key of records) {
    const value = server[key];
    if (value === undefined) continue;
    if (!isObject(value)) faults.push(`${key} is not an object`);
    else
      options[key] = Object.fromEntries(
        Object.entries(value).map(([name, each]) => [name, fill(`${key}.${name}`, each)]),
      );
  }
  const { args } = server;
  if (args !== undefined && !Array.isArray(args)) faults.push('args is not a list');
  if (Array.isArray(args)) options['args'] = args.map((each, index) => fill(`args.${index}`, each));
  if (server['disabled'] === true) options['enabled'] = false;
  return options;
}

/** Reports misspelt keys, and the type `sse`. Other unknown keys are allowed, because other clients have their own. */
function refuseOdd(server: Readonly<Record<string, unknown>>, faults: string[]): void {
  const known: readonly string[] = [...texts, ...records, 'args', 'type', 'disabled'];
  for (const key of Object.keys(server)) {
    const near = known.includes(key) ? undefined : nearest(key, known);
    if (near !== undefined) faults.push(`"${key}" is not known; did you mean "${near}"?`);
  }
  if (server['type'] === 'sse')
    faults.push(
      'its type is "sse", which streamable HTTP has replaced. Write the URL for that, and the type "http"',
    );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function invalid(path: string, faults: readonly string[], cause?: unknown): ShallotError {
  return new ShallotError('mcp/CONFIG_INVALID', {
    message: `${path} is not valid:\n${faults.map((fault) => `  ${fault}`).join('\n')}`,
    at: { file: path },
    cause,
  });
}
