import type { Tool as ServerTool } from '@modelcontextprotocol/client';
import type { RunInfo, ToolCall, ToolResult } from '@shallot/core';
import {
  visible,
  type PluginSetup,
  type PluginState,
  type ToolNext,
  type ToolScope,
} from '@shallot/core/plugin';

import type { ServerSettings } from '../config/server-settings.ts';
import type { Definition } from './definition.ts';
import type { KnownTools } from './known-tools.ts';

/** The facts of a tool that the gate decides on. */
interface ToolInQuestion {
  readonly settings: ServerSettings;
  /** The tool as its server lists it; undefined for one of this plugin. */
  readonly listed?: ServerTool;
  readonly definition: Definition;
}

/** The definitions used in a session, by tool name; the text only if it is short. */
type Used = Readonly<Record<string, { readonly digest: string; readonly text?: string }>>;

const maxKept = 8000;
const decisions = ['approve', 'reject'] as const;

/**
 * Asks before a tool is used whose definition nobody has accepted: otherwise a server could replace a tool after its
 * approval. The file of known tools decides; without one, the definition that the session used first.
 */
export class DefinitionGate {
  readonly #id: string;
  readonly #used: PluginState<Used>;
  readonly #known: KnownTools | undefined;

  constructor(id: string, state: PluginSetup['state'], known: KnownTools | undefined) {
    this.#id = id;
    this.#known = known;
    this.#used = state<Used>({ key: 'used', initial: () => ({}) });
  }

  async enter(call: ToolCall, next: ToolNext, scope: ToolScope, listed: ToolInQuestion): Promise<ToolResult> {
    const { run } = scope;
    const { definition, settings, listed: tool } = listed;
    const used = this.#usedBefore(run, call.name);
    if (this.#known !== undefined && tool !== undefined) {
      const accepted = this.#known.accepted(settings, tool.name);
      if (accepted?.digest !== definition.digest) {
        const refusal = await this.#askAbout(call, scope, listed, accepted ?? 'new');
        if (refusal !== undefined) return refusal;
        await this.#known.accept(settings, tool);
      }
    } else if (used !== undefined && used.digest !== definition.digest) {
      const refusal = await this.#askAbout(call, scope, listed, used);
      if (refusal !== undefined) return refusal;
    }
    if (used?.digest !== definition.digest) this.#remember(run, call.name, definition);
    return next(call);
  }

  #usedBefore(run: RunInfo, tool: string): Used[string] | undefined {
    const used = this.#used.get(run);
    return Object.hasOwn(used, tool) ? used[tool] : undefined;
  }

  #remember(run: RunInfo, tool: string, { digest, text }: Definition): void {
    const kept = text.length > maxKept ? { digest } : { digest, text };
    this.#used.update(run, (used) => ({ ...used, [tool]: kept }));
  }

  /** Asks about a new or changed tool. Returns the result of a rejected call; undefined if the call is approved. */
  async #askAbout(
    call: ToolCall,
    scope: ToolScope,
    { settings, definition }: ToolInQuestion,
    before: 'new' | { readonly text?: string },
  ): Promise<ToolResult | undefined> {
    const payload = {
      tool: call.name,
      decisions,
      arguments: visible(JSON.stringify(call.input, null, 2)),
      description: `The MCP server ${visible(settings.name)} ${before === 'new' ? 'has added this tool since it was first connected to' : 'has changed what this tool is since it was accepted'}.`,
      diff: await diffOf(before === 'new' ? '' : before.text, definition.text),
    };
    const answer = await scope.interrupt({ kind: 'approval', payload, answer: answerSchema });
    const { decision, reason } = answer as { readonly decision: string; readonly reason?: string };
    if (decision === 'approve') return undefined;
    const text = `The call of ${call.name} was rejected and not executed: ${reason ?? `its server has ${before === 'new' ? 'added' : 'changed'} the tool`}`;
    return {
      content: [{ type: 'text', text }],
      isError: true,
      denied: { by: this.#id, ...(reason === undefined ? {} : { reason }) },
    };
  }
}

const answerSchema = {
  type: 'object',
  properties: { decision: { enum: decisions }, reason: { type: 'string' } },
  required: ['decision'],
  additionalProperties: false,
} as const;

async function diffOf(before: string | undefined, after: string): Promise<string> {
  if (before === undefined) return '(no diff: the earlier definition was too large to keep)';
  const { createTwoFilesPatch, FILE_HEADERS_ONLY } = await import('diff');
  const patch = createTwoFilesPatch('before', 'now', before, after, undefined, undefined, {
    context: 3,
    headerOptions: FILE_HEADERS_ONLY,
    maxEditLength: 2000,
  });
  return patch === undefined ? '(no diff: too much has changed)' : visible(patch);
}
