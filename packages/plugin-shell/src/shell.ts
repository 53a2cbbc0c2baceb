import { resolve } from 'node:path';

import { definePlugin, ShallotError, type ToolCall } from '@shallot/core';
import type { Files } from '@shallot/core/files';
import {
  callMatcherKey,
  fitsPattern,
  permissionEvaluatorKey,
  pluginStatusKey,
  preApprovalsKey,
  textPart,
  type RuleInForce,
} from '@shallot/core/plugin';

import manifest from '../package.json' with { type: 'json' };
import { shellOptions, type Settings } from './options.ts';
import { commandMatcher, testingNeeds } from './rules/command-matcher.ts';
import { judgeLine, type Verdict } from './rules/judge-line.ts';
import { parseRule } from './rules/rule.ts';
import { checkBubblewrap } from './running/bubblewrap.ts';
import { commandOf, shellTool } from './shell-tool.ts';

/**
 * Gives the model a tool that runs commands, each in its own process group, which ends with it. Rules say which
 * commands are refused and which need no approval. The plugin does not start unless its calls need an approval.
 */
export const shell = definePlugin({
  name: 'shell',
  version: manifest.version,
  api: manifest.shallot.api,
  priority: 43,
  options: shellOptions,
  setup({ id, options, hooks, tools, files, env, directory, provide, use, onReady, onStop }) {
    const { toolName, unattended, root } = options;
    const rules = {
      allow: options.allow.map(parseRule),
      deny: options.deny.map(parseRule),
      root: root === undefined ? rootOf(files) : resolve(directory, root),
    };
    const judge = (call: ToolCall): Verdict => {
      const command = call.name === toolName ? commandOf(call.input) : undefined;
      return command === undefined ? { is: 'unclear' } : judgeLine(command, rules);
    };
    const running = new Set<Promise<unknown>>();
    const releases = new Set<() => void>();
    let isAsked = (): boolean => false;

    tools.add(shellTool({ settings: options, env, directory, running, releases }));
    onStop(async () => {
      await Promise.allSettled(running);
      for (const release of releases) release();
      releases.clear();
    });
    const own = { plugin: id, deny: options.deny, allow: options.allow };
    provide(
      callMatcherKey(id),
      commandMatcher({ toolName, root: rules.root, mayTest: mayTest(options), own }),
    );
    provide(pluginStatusKey(id), { lines: () => [], notes: () => notesOn(options) });
    provide(preApprovalsKey(id), {
      allows: (call) => {
        const verdict = judge(call);
        return verdict.is === 'allowed' ? `allowed by "${verdict.rules.join('", "')}"` : undefined;
      },
    });
    onReady(async (agent) => {
      isAsked = () => agent.askedBy(toolName).length > 0;
      checkPlatform();
      checkRules(options);
      if (options.sandbox === true) await checkBubblewrap(env);
      if (root === undefined) checkRoot(files);
      if (!unattended && !isAsked()) throw notAsked(toolName, use(permissionEvaluatorKey)?.rules() ?? []);
    });

    if (rules.deny.length === 0 && unattended) return;
    // Outside of approval plugins, because nobody should be asked about a call that is refused in any case.
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

/** Refuses Windows. @throws `shell/PLATFORM` */
export function checkPlatform(platform: NodeJS.Platform = process.platform): void {
  if (platform !== 'win32') return;
  throw new ShallotError('shell/PLATFORM', {
    message:
      'Windows has no process groups, so commands could not be ended reliably. Use WSL, Linux or macOS.',
  });
}

function notesOn({ sandbox, testing, network }: Settings): readonly string[] {
  if (sandbox === true && network)
    return [
      '`network: true` lets commands in the sandbox send what they read: they read what your account can.',
    ];
  if (sandbox !== false || testing !== 'trusted') return [];
  return [
    '`testing: trusted` lets the rule "testing" execute what the model wrote, with the rights of your account and without a question.',
  ];
}

/** Checks the rule `testing`. @throws `shell/TESTING` if nothing protects the machine from the code that it executes */
function checkRules(settings: Settings): void {
  if (mayTest(settings) || !settings.allow.map(parseRule).some(({ preset }) => preset === 'testing')) return;
  throw new ShallotError('shell/TESTING', {
    message: `The rule "testing" ${testingNeeds}.`,
  });
}

function mayTest({ sandbox, testing }: Settings): boolean {
  return sandbox !== false || testing === 'trusted';
}

/** Checks that the agent's files are in a directory. @throws `shell/NO_ROOT` */
function checkRoot(files: Files): void {
  if (rootOf(files) === undefined)
    throw new ShallotError('shell/NO_ROOT', {
      message:
        "The agent's files are in no directory of this machine, so there is none in which commands could start. Set the option root, or use diskFiles(root).",
    });
}

function rootOf(files: Files): string | undefined {
  try {
    return files.root;
  } catch {
    // Each run has files of its own, which are checked in the run. No path is below an empty root.
    return '';
  }
}

function notAsked(tool: string, rules: readonly RuleInForce[]): ShallotError {
  const all = rules.find(
    ({ list, rule }) => list === 'allow' && !rule.includes('(') && fitsPattern(rule, tool),
  );
  if (all !== undefined)
    return new ShallotError('shell/NOT_ASKED', {
      message: `The rule "${all.rule}" in allow of the permissions lets every command through unseen. Write which ones, such as "shell(reading)" or "shell(npm test)", or set unattended: true.`,
    });
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
