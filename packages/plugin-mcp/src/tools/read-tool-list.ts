import {
  isSpecType,
  SdkError,
  SdkErrorCode,
  type Client,
  type Tool as ServerTool,
} from '@modelcontextprotocol/client';

import { isJsonObject } from '../is-json-object.ts';
import { workInSlices } from '../work-in-slices.ts';
import { isNestedDeeper } from './is-nested-deeper.ts';

/** The tools that a server lists. */
export interface ToolPages {
  readonly tools: readonly ServerTool[];
  /** Tools that are not valid, each with a reason. */
  readonly refused: readonly { readonly name: string; readonly reason: string }[];
  /** The time for which the list is valid, in milliseconds, if the server says so. */
  readonly ttlMs?: number;
}

/** The most levels of a definition. Usual schemas have only a few. */
const maxDepth = 100;
const maxPages = 64;

/**
 * Lists the tools of a server until a deadline. An invalid tool is left out and reported; the client's own method would
 * reject the whole list.
 */
export async function readToolList(client: Client, deadline: number): Promise<ToolPages> {
  if (client.getServerCapabilities()?.tools === undefined) return { tools: [], refused: [] };
  const { listed, ttlMs } = await readPages(client, deadline);
  let isAnyWithHeaders = false;
  await workInSlices(listed, (tool) => {
    isAnyWithHeaders ||= hasHeaders(tool);
  });
  const headers = isAnyWithHeaders ? await toolsWithHeaders(client, deadline) : new Set<string>();
  const tools: ServerTool[] = [];
  const refused: { readonly name: string; readonly reason: string }[] = [];
  await workInSlices(listed.entries(), ([index, tool]) => {
    const reason = faultOf(tool) ?? headerFault(tool, headers);
    // `faultOf` has checked it.
    if (reason === undefined) return void tools.push(tool as ServerTool);
    refused.push({ name: nameOf(tool) ?? `no. ${index + 1}`, reason });
  });
  return { tools, refused, ...(typeof ttlMs === 'number' ? { ttlMs } : {}) };
}

async function readPages(client: Client, deadline: number) {
  const listed: unknown[] = [];
  let cursor: unknown;
  for (let page = 0; page < maxPages; page += 1) {
    const params = typeof cursor === 'string' ? { cursor } : {};
    const answer = await client.request({ method: 'tools/list', params }, anything, {
      timeout: timeLeft(deadline),
    });
    const { tools, ttlMs, nextCursor } = isJsonObject(answer) ? answer : {};
    if (!Array.isArray(tools))
      throw new SdkError(SdkErrorCode.InvalidResult, 'its answer has no list of tools');
    for (const tool of tools) listed.push(tool);
    if (nextCursor === undefined || nextCursor === cursor) return { listed, ttlMs };
    cursor = nextCursor;
  }
  throw new SdkError(SdkErrorCode.ListPaginationExceeded, `the list has more than ${maxPages} pages`);
}

function timeLeft(deadline: number): number {
  return Math.max(1, deadline - Date.now());
}

/** A schema that accepts everything. */
const anything = {
  '~standard': { version: 1, vendor: 'shallot-mcp', validate: (value: unknown) => ({ value }) },
} as const;

/** Returns true if arguments of a tool must also be sent as HTTP headers. */
function hasHeaders(tool: unknown): boolean {
  return !isNestedDeeper(tool, maxDepth) && JSON.stringify(tool).includes('"x-mcp-header"');
}

/**
 * Returns the names of the tools that the client accepts: it leaves out those with invalid headers, as the protocol
 * requires. Returns none if it rejects the whole list.
 */
async function toolsWithHeaders(client: Client, deadline: number): Promise<ReadonlySet<string>> {
  try {
    const { tools } = await client.listTools(undefined, {
      cacheMode: 'refresh',
      timeout: timeLeft(deadline),
    });
    return new Set(tools.map(({ name }) => name));
  } catch (error) {
    if (error instanceof SdkError && error.code === SdkErrorCode.InvalidResult) return new Set();
    throw error;
  }
}

function faultOf(tool: unknown): string | undefined {
  if (isNestedDeeper(tool, maxDepth)) return `its definition is nested more than ${maxDepth} levels deep`;
  if (!isSpecType.Tool(tool)) return 'its definition is not valid by the protocol';
  return tool.execution?.taskSupport === 'required'
    ? 'it can be called only as a task, which this client does not offer'
    : undefined;
}

function headerFault(tool: unknown, valid: ReadonlySet<string>): string | undefined {
  const isValid = !hasHeaders(tool) || valid.has(nameOf(tool) ?? '');
  return isValid ? undefined : 'the headers that it wants are not valid by the protocol';
}

function nameOf(tool: unknown): string | undefined {
  const name = isJsonObject(tool) ? tool['name'] : undefined;
  return typeof name === 'string' ? name : undefined;
}
