import type { Client } from '@modelcontextprotocol/client';
import { defineTool, type JsonObject, type Tool, type ToolResult } from '@shallot/core';
import { textPart, visible } from '@shallot/core/plugin';

import { inRounds } from '../questions/rounds.ts';
import { requestOptions, type Callee } from './call-tool.ts';
import { bounded } from './to-result.ts';
import { toolNameFor } from './tool-name.ts';

export type Parts = ToolResult['content'];

/** Sends a request of a call, and handles the server's questions. */
export type Ask = <T>(
  doing: string,
  send: (client: Client, options: ReturnType<typeof requestOptions>, answers: object) => Promise<T>,
) => Promise<T>;

/** A tool of this plugin that reads something from a server. */
export interface ReadTool {
  readonly description: string;
  readonly input: JsonObject;
  readonly work: (args: JsonObject, ask: Ask) => Promise<Parts>;
}

/** Defines a tool that reads from a server. It is named like the server's tools. */
export function readTool(
  { server, held }: Callee,
  name: string,
  { description, input, work }: ReadTool,
): Tool {
  const { name: serverName } = server.settings;
  return defineTool({
    name: toolNameFor(serverName, name),
    description: `${description} The server is "${visible(serverName)}".`,
    input,
    effect: 'read',
    kind: 'read',
    async execute(args, context) {
      const options = requestOptions(server, context);
      const ask: Ask = async (doing, send) => {
        const asking = { server, doing, context, isRepeatable: true };
        const outcome = await inRounds(asking, (client, answers) => send(client, options, answers));
        if ('result' in outcome) return outcome.result;
        // A repeatable request is repeated if its answer was lost, so nobody is asked about it.
        throw new Error(outcome.told);
      };
      const parts = await held.during(context, () => work(args, ask));
      return bounded({ content: parts }, server.settings);
    },
  });
}

/** Formats one row per line; without any, returns a sentence about it. */
export function lines(rows: readonly (readonly (string | undefined)[])[]): Parts {
  const texts = rows.map((cells) => cells.filter((cell) => cell !== undefined && cell !== '').join('  '));
  return [textPart(texts.length === 0 ? 'There are none.' : texts.join('\n'))];
}

/** Returns a string argument, which the schema has validated. */
export function textOfArgument(args: JsonObject, name: string): string {
  const value = args[name];
  return typeof value === 'string' ? value : '';
}

export const noArguments: JsonObject = { type: 'object', properties: {}, additionalProperties: false };
