import type { Tool as ServerTool } from '@modelcontextprotocol/client';
import type { JsonSchema, Tool } from '@shallot/core';
import { clipText, replaceHidden } from '@shallot/core/plugin';

import type { ServerSettings } from '../config/server-settings.ts';
import { definitionOf, type Definition } from '../trust/definition.ts';
import { hintsOf } from '../trust/hints.ts';
import { callTool, type Callee } from './call-tool.ts';
import { defineWithSchema } from './define-with-schema.ts';
import { outputCheck } from './output-check.ts';

/** A tool of a server as the agent offers it. */
export interface ListedTool {
  readonly settings: ServerSettings;
  readonly tool: Tool;
  /** The tool as its server lists it; undefined for one of this plugin. */
  readonly listed?: ServerTool;
  readonly definition: Definition;
  /** True if a trusted server marks the tool as read-only. */
  readonly isReadOnly: boolean;
  /** The reason why its arguments are not validated locally, if so. */
  readonly unchecked?: string;
  /** The reason why its results are not validated, if so. */
  readonly uncheckedOutput?: string;
}

/** The maximum length of a tool description, since the server controls it. */
const maxDescription = 20_000;
export const maxDefinition = 200_000;

/** Returns the agent's tool for a tool of a server; undefined if its definition is too large for a model. */
export function listedTool(callee: Callee, tool: ServerTool, name: string): ListedTool | undefined {
  const { settings } = callee.server;
  const definition = definitionOf(tool);
  if (definition.text.length > maxDefinition) return undefined;
  const { check, unchecked: uncheckedOutput } = outputCheck(tool);
  // Clients show titles before names, so an untrusted server could disguise a tool.
  const title = settings.trusted ? replaceHidden(tool.title ?? tool.annotations?.title ?? '', () => '') : '';
  const hints = hintsOf(tool, settings.trusted);
  const isRepeatable = hints.effect !== undefined && hints.effect !== 'write';
  const defined = defineWithSchema(
    {
      name,
      description: clipText(tool.description ?? '', maxDescription, ' [… cut …] '),
      ...(title === '' ? {} : { title: title.slice(0, 200).toWellFormed() }),
      ...hints,
      execute: (args, context) => callTool(callee, { tool, check, isRepeatable }, args, context),
    },
    // It was parsed from JSON.
    tool.inputSchema as JsonSchema,
  );
  return {
    ...defined,
    ...(uncheckedOutput === undefined ? {} : { uncheckedOutput }),
    settings,
    listed: tool,
    definition,
    isReadOnly: hints.effect === 'read',
  };
}
