import type { Tool as ServerTool } from '@modelcontextprotocol/client';
import type { JsonSchema, Tool } from '@shallot/core';
import { clipText, visible } from '@shallot/core/plugin';

import { definitionOf, type Definition } from '../trust/definition.ts';
import { hintsOf } from '../trust/hints.ts';
import { callTool, type Callee } from './call-tool.ts';
import { defineWithSchema } from './define-with-schema.ts';
import { outputCheck } from './output-check.ts';

/** A tool of a server as the agent has it. */
export interface ListedTool {
  readonly server: string;
  readonly tool: Tool;
  readonly definition: Definition;
  /** Whether a trusted server says that the tool changes nothing. */
  readonly isReadOnly: boolean;
  /** Why its arguments are not checked here, if they are not. */
  readonly unchecked?: string;
  /** Why its results are not. */
  readonly uncheckedOutput?: string;
}

/** What a model is told of one tool at most: a server may write what it likes. */
const maxDescription = 20_000;
export const maxDefinition = 200_000;

/** Makes an agent's tool of a server's; undefined for one whose definition is too large to be sent to a model. */
export function listedTool(callee: Callee, tool: ServerTool, name: string): ListedTool | undefined {
  const { settings } = callee.server;
  const definition = definitionOf(tool);
  if (definition.text.length > maxDefinition) return undefined;
  const { check, unchecked: uncheckedOutput } = outputCheck(tool);
  const title = tool.title ?? tool.annotations?.title;
  const hints = hintsOf(tool, settings.trusted);
  const defined = defineWithSchema(
    {
      name,
      description: clipText(tool.description ?? '', maxDescription, ' [… cut …] '),
      ...(title === undefined || title === '' ? {} : { title: visible(title).slice(0, 200) }),
      ...hints,
      execute: (args, context) => callTool(callee, { tool, check }, args, context),
    },
    // It came out of JSON.
    tool.inputSchema as JsonSchema,
  );
  return {
    ...defined,
    ...(uncheckedOutput === undefined ? {} : { uncheckedOutput }),
    server: settings.name,
    definition,
    isReadOnly: hints.effect === 'read',
  };
}
