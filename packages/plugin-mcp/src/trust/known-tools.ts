import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { basename, dirname } from 'node:path';

import type { Tool as ServerTool } from '@modelcontextprotocol/client';
import { isShallotError, ShallotError } from '@shallot/core';
import { diskFiles } from '@shallot/core/files';
import { messageOf } from '@shallot/core/plugin';

import type { ServerSettings } from '../config/server-settings.ts';
import { isJsonObject } from '../is-json-object.ts';
import { workInSlices } from '../work-in-slices.ts';
import { definitionOf, type Definition } from './definition.ts';

/** Facts about a server, besides its tools, that are needed before it is connected. */
export interface ServerFacts {
  readonly resources: boolean;
  readonly prompts: boolean;
  readonly instructions?: string | undefined;
}

/** A tool whose definition was accepted: with the first list of its server, or by a person. */
interface KnownTool {
  readonly definition: ServerTool;
  /** True if the server no longer lists it. */
  readonly isGone?: boolean;
}

/** A server as stored in the file. */
export interface KnownServer extends ServerFacts {
  /** A digest of the command or URL: another server under the same name is not known. */
  readonly of: string;
  readonly tools: Readonly<Record<string, KnownTool>>;
}

type KnownServers = Readonly<Record<string, KnownServer>>;

const format = 1;

/**
 * The accepted definitions of tools, in one file for all sessions and processes. The tools that a server lists first
 * are accepted at once; new and changed ones, when a person approves a call.
 */
export class KnownTools {
  readonly #path: string;
  #servers: KnownServers;
  #writing: Promise<void> = Promise.resolve();

  private constructor(path: string, servers: KnownServers) {
    this.#path = path;
    this.#servers = servers;
  }

  /** Reads the file, if there is one. @throws `mcp/DEFINITIONS_INVALID` */
  static async open(path: string): Promise<KnownTools> {
    return new KnownTools(path, (await read(path)).servers);
  }

  /** Returns what is known of a server; undefined if it is new. */
  server(settings: ServerSettings): KnownServer | undefined {
    const known = Object.hasOwn(this.#servers, settings.name) ? this.#servers[settings.name] : undefined;
    return known?.of === digestOf(settings) ? known : undefined;
  }

  /** Returns the accepted definition of a tool; undefined if there is none. */
  accepted(settings: ServerSettings, tool: string): Definition | undefined {
    const tools = this.server(settings)?.tools ?? {};
    const known = Object.hasOwn(tools, tool) ? tools[tool] : undefined;
    return known === undefined ? undefined : definitionOf(known.definition);
  }

  /** Notes the list of a server. All tools of a new server are accepted. */
  async noteList(settings: ServerSettings, facts: ServerFacts, tools: readonly ServerTool[]): Promise<void> {
    const before = this.server(settings);
    const listed = new Set(tools.map(({ name }) => name));
    if (before !== undefined && isAsBefore(before, facts, listed)) return;
    const now =
      before === undefined ? Object.fromEntries(tools.map(entryOf)) : withGone(before.tools, listed);
    const known: KnownServer = { of: digestOf(settings), ...facts, tools: now };
    await this.#change(settings.name, () => known);
  }

  /** Accepts the definition of a tool as it is. */
  async accept(settings: ServerSettings, tool: ServerTool): Promise<void> {
    await this.#change(settings.name, (known) =>
      known === undefined
        ? undefined
        : { ...known, tools: { ...known.tools, ...Object.fromEntries([entryOf(tool)]) } },
    );
  }

  #change(name: string, change: (known: KnownServer | undefined) => KnownServer | undefined): Promise<void> {
    const next = this.#writing.then(async () => {
      this.#servers = await rewrite(this.#path, name, change);
    });
    this.#writing = next.catch(() => {
      // The caller has this error.
    });
    return next;
  }
}

/** Keeps the members that `definitionOf` compares. */
function entryOf({ name, title, description, inputSchema, outputSchema, annotations }: ServerTool) {
  const members = { title, description, inputSchema, outputSchema, annotations };
  const given = Object.entries(members).filter(([, member]) => member !== undefined);
  // They are members of the tool.
  return [name, { definition: { name, ...Object.fromEntries(given) } as ServerTool }] as const;
}

function isAsBefore(before: KnownServer, facts: ServerFacts, listed: ReadonlySet<string>): boolean {
  const { resources, prompts, instructions } = before;
  return (
    resources === facts.resources &&
    prompts === facts.prompts &&
    instructions === facts.instructions &&
    Object.entries(before.tools).every(([name, { isGone }]) => listed.has(name) === (isGone !== true))
  );
}

/**
 * Keeps the accepted definitions, including those of tools that are gone, so that a person is asked if one comes back
 * changed.
 */
function withGone(known: KnownServer['tools'], listed: ReadonlySet<string>): KnownServer['tools'] {
  const tools = Object.entries(known).map(([name, { definition }]) => {
    const isGone = !listed.has(name);
    return [name, isGone ? { definition, isGone } : { definition }] as const;
  });
  return Object.fromEntries(tools);
}

/** Returns the text of the file, with a line for each tool. */
async function textOf(servers: KnownServers): Promise<string> {
  const blocks: string[] = [];
  for (const [name, { tools, ...facts }] of Object.entries(servers)) {
    const lines: string[] = [];
    await workInSlices(Object.entries(tools), ([tool, known]) => {
      lines.push(`${JSON.stringify(tool)}: ${JSON.stringify(known)}`);
    });
    const head = JSON.stringify(facts).slice(0, -1);
    blocks.push(`${JSON.stringify(name)}: ${head}, "tools": {\n${lines.join(',\n')}\n}}`);
  }
  return `{"format": ${format}, "servers": {\n${blocks.join(',\n')}\n}}\n`;
}

function digestOf(settings: ServerSettings): string {
  const what =
    settings.kind === 'http' ? [settings.url.href] : [settings.command, ...settings.args, settings.cwd];
  return createHash('sha256').update(JSON.stringify(what)).digest('base64url').slice(0, 22);
}

/**
 * Changes one server in the file, unless `change` returns undefined. Returns all servers. Other processes may have changed
 * others since it was read.
 */
async function rewrite(
  path: string,
  name: string,
  change: (known: KnownServer | undefined) => KnownServer | undefined,
): Promise<KnownServers> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const files = diskFiles(dirname(path));
  for (;;) {
    const { servers, revision } = await read(path);
    const changed = change(Object.hasOwn(servers, name) ? servers[name] : undefined);
    if (changed === undefined) return servers;
    const next = { ...servers, [name]: changed };
    try {
      await files.write(`/${basename(path)}`, await textOf(next), { ifRevision: revision, own: true });
      return next;
    } catch (error) {
      if (!isShallotError(error, 'FILE_CONFLICT')) throw error;
    }
  }
}

async function read(path: string): Promise<{ servers: KnownServers; revision: string | null }> {
  let text: string;
  let revision: string;
  try {
    ({ text, revision } = await diskFiles(dirname(path)).readText(`/${basename(path)}`));
  } catch (error) {
    if (isShallotError(error, 'FILE_NOT_FOUND')) return { servers: {}, revision: null };
    throw invalid(path, messageOf(error), error);
  }
  try {
    const file: unknown = JSON.parse(text);
    if (!isJsonObject(file) || file['format'] !== format || !isJsonObject(file['servers']))
      throw new TypeError(`it has not the format ${format}`);
    // Only this class writes it, in a directory that no tool of the agent reaches.
    return { servers: file['servers'] as unknown as KnownServers, revision };
  } catch (error) {
    throw invalid(path, messageOf(error), error);
  }
}

function invalid(path: string, why: string, cause: unknown): ShallotError {
  return new ShallotError('mcp/DEFINITIONS_INVALID', {
    message: `The definitions of MCP tools in ${path} cannot be read: ${why}. Restore the file, or delete it: then the tools are accepted as the servers list them now.`,
    at: { file: path },
    cause,
  });
}
