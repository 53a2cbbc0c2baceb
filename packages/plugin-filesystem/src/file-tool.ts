import {
  defineTool,
  isShallotError,
  type JsonSchema,
  type Tool,
  type ToolContext,
  type ToolOutput,
  type ToolResult,
} from '@shallot/core';
import {
  fullPath,
  rootedPath,
  textPart,
  touchesOf,
  type ToolEffect,
  type ToolLocation,
} from '@shallot/core/plugin';

import type { IgnoreRules } from './ignore-rules.ts';
import type { KnownRevisions } from './known-revisions.ts';
import type { FileToolName, Settings } from './options.ts';
import { nearPath, pathsOf, type ShowPath } from './path.ts';
import { judgedFiles } from './permissions/judged-files.ts';
import { Refusal } from './refusal.ts';
import type { InTurn } from './turns.ts';

/** The parts that the tools share. */
export interface FileToolParts {
  readonly settings: Settings;
  readonly rules: IgnoreRules;
  readonly known: KnownRevisions;
  readonly inTurn: InTurn;
}

/** The parts of a tool's context that these tools use. */
export interface FileToolContext extends Pick<ToolContext, 'run' | 'signal' | 'maxResultTokens' | 'files'> {
  readonly show: ShowPath;
  /** Returns a note that suggests an existing path for one where nothing is; an empty string without a suggestion. */
  readonly didYouMean: (path: string) => Promise<string>;
}

/** The definition of a tool over files. Its argument `path` names the file or directory. */
interface FileToolDefinition<Args> {
  readonly name: FileToolName;
  readonly title: string;
  readonly kind: NonNullable<Tool['kind']>;
  readonly effect: ToolEffect;
  readonly readsFiles?: boolean;
  readonly description: string;
  readonly properties: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  /** Returns the locations that a call touches. Default: its path. */
  readonly locations?: (args: Args) => readonly ToolLocation[];
  readonly execute: (args: Args, context: FileToolContext) => Promise<ToolOutput>;
}

/**
 * Returns a tool over files. A path that the files refuse, a missing file and a `Refusal` become a result that says what to
 * do.
 */
export function fileTool<Args extends { readonly path?: string }>(
  { settings, rules }: FileToolParts,
  definition: FileToolDefinition<Args>,
): Tool {
  const { name, properties, required = [], execute, ...rest } = definition;
  const { locations = ({ path = '/' }: Args) => [{ path: fullPath(path) }], ...display } = rest;
  // The schema allows no other arguments.
  const argsOf = (input: unknown): Args => input as Args;
  return defineTool({
    ...display,
    name: `${settings.prefix}${name}`,
    // A later call can show whatever did not fit on this page, so the result need not be shortened.
    maxResultTokens: Infinity,
    input: { type: 'object', properties, required: [...required], additionalProperties: false },
    locations: (input) => locations(argsOf(input)),
    async execute(input, context) {
      const args = argsOf(input);
      const { call, run, signal, maxResultTokens } = context;
      const show = pathsOf(context.files, settings.paths);
      const didYouMean = async (path: string): Promise<string> => {
        // For a call that rules have judged, a suggestion could reveal a path that they hide.
        const near = touchesOf(call) === undefined ? await nearPath(path, rules, context.files) : undefined;
        return near === undefined ? '' : `Did you mean ${show(near)}?`;
      };
      try {
        const files = await judgedFiles(call, args.path ?? '/', context.files, show);
        return await execute(args, { run, signal, maxResultTokens, files, show, didYouMean });
      } catch (error) {
        const path = await rootedPath(args.path ?? '/', context.files);
        const text = isShallotError(error, 'FILE_NOT_FOUND')
          ? `There is no file ${show(path)}. ${(await didYouMean(path)) || 'List its directory to see what exists.'}`
          : refusalText(error, path, show);
        if (text === undefined) throw error;
        return { content: [textPart(text)], isError: true } satisfies ToolResult;
      }
    },
  });
}

/** The characters of a page for each token of the model's limit for results. */
const charactersPerToken = 5;

/** Returns the settings with pages that fit the model's limit for results. */
export function pageSettings(settings: Settings, { maxResultTokens }: FileToolContext): Settings {
  const room = Math.max(1000, maxResultTokens * charactersPerToken);
  return room < settings.maxCharacters ? { ...settings, maxCharacters: room } : settings;
}

/** The codes of errors in a path or an argument. Failures of the file system are not among them. */
const refused = ['FILE_PATH', 'FILE_KIND', 'FILE_TOO_LARGE', 'FILE_CONFLICT', 'FILE_PROTECTED'] as const;

function refusalText(error: unknown, path: string, show: ShowPath): string | undefined {
  if (error instanceof Refusal) return error.message;
  if (!isShallotError(error) || !refused.some((code) => error.code === code)) return undefined;
  const shown = show(path);
  return error.message.replaceAll(JSON.stringify(path), shown.startsWith('"') ? shown : `"${shown}"`);
}

export const pathProperty: JsonSchema = {
  type: 'string',
  description: 'The file, from the root on: /src/main.ts.',
};
