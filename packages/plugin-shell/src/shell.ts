import { definePlugin, ShallotError, type ToolCall } from '@shallot/core';
import type { Files } from '@shallot/core/files';
import { preApprovalsKey, textPart } from '@shallot/core/plugin';

import manifest from '../package.json' with { type: 'json' };
import { judgeLine, type Verdict } from './judge-line.ts';
import { shellOptions } from './options.ts';
import { parseRule } from './rule.ts';
import { commandOf, shellTool } from './shell-tool.ts';

/**
 * Gives the model a tool that runs commands, each in a process group of its own that ends with it. Rules say which
 * commands are refused and which need no approval. It does not start unless somebody is asked about its calls.
 */
export const shell = definePlugin({
  name: 'shell',
  version: manifest.version,
  api: manifest.shallot.api,
  priority: 43,
  options: shellOptions,
  setup({ id, options, hooks, tools, files, env, directory, provide, onReady, onStop }) {
    const { toolName, unattended, root } = options;
    const rules = { allow: options.allow.map(parseRule), deny: options.deny.map(parseRule) };
    const judge = (call: ToolCall): Verdict => {
      const command = call.name === toolName ? commandOf(call.input) : undefined;
      return command === undefined ? { is: 'unclear' } : judgeLine(command, rules);
    };
    const isAllowed = (command: string): boolean => judgeLine(command, rules).is === 'allowed';
    const running = new Set<Promise<unknown>>();
    let isAsked = (): boolean => false;

    tools.add(shellTool({ settings: options, isAllowed, env, directory, running }));
    onStop(async () => void (await Promise.allSettled(running)));
    provide(preApprovalsKey(id), {
      allows: (call) => {
        const verdict = judge(call);
        return verdict.is === 'allowed' ? `allowed by "${verdict.rules.join('", "')}"` : undefined;
      },
    });
    onReady((agent) => {
      isAsked = () => agent.askedBy(toolName).length > 0;
      checkPlatform();
      if (root === undefined) checkRoot(files);
      if (!unattended && !isAsked()) throw notAsked(toolName);
    });

    if (rules.deny.length === 0 && unattended) return;
    // Outside of approval plugins: nobody should be asked about what is refused in any case.
    hooks.wrapToolCall.tap({ name: 'deny', gate: true, priority: 70 }, (call, next) => {
      if (call.name !== toolName) return next(call);
      const verdict = judge(call);
      if (verdict.is === 'denied') return refused(id, `the rule "${verdict.rule}" denies it`);
      if (isAsked()) return next(call);
      // The approval plugin was removed.
      if (!unattended) return refused(id, 'no plugin asks a person about it any more');
      if (rules.deny.length > 0 && verdict.is === 'unclear')
        return refused(id, 'it is not clear whether it holds a denied command; write it in a simpler way');
      return next(call);
    });
  },
});

/** @throws `shell/PLATFORM` on Windows */
export function checkPlatform(platform: NodeJS.Platform = process.platform): void {
  if (platform !== 'win32') return;
  throw new ShallotError('shell/PLATFORM', {
    message:
      'Windows has no process groups, so commands could not be ended reliably. Use WSL, Linux or macOS.',
  });
}

function checkRoot(files: Files): void {
  if (hasNoRoot(files))
    throw new ShallotError('shell/NO_ROOT', {
      message:
        "The agent's files are in no directory of this machine, so there is none in which commands could start. Set the option root, or use diskFiles(root).",
    });
}

function hasNoRoot(files: Files): boolean {
  try {
    return files.root === undefined;
  } catch {
    // Each run has files of its own: they are looked at in the run.
    return false;
  }
}

function notAsked(tool: string): ShallotError {
  return new ShallotError('shell/NOT_ASKED', {
    message: `No plugin asks a person about calls of ${tool}, so any command would be executed unseen. Add an approval plugin that asks about it (hitl with tools: { ${tool}: true }), or set unattended: true.`,
  });
}

function refused(by: string, reason: string) {
  return {
    content: [textPart(`The command was refused and not executed: ${reason}.`)],
    isError: true,
    denied: { by, reason },
  };
}
