import { definePlugin, type ToolCall, type ToolResult } from '@shallot/core';
import type { Files } from '@shallot/core/files';
import {
  approvalsKey,
  checkToolPatterns,
  permissionEvaluatorKey,
  preApprovalsKey,
  withApproval,
  withRelease,
  withTouches,
  type PermissionEvaluator,
  type ToolNext,
  type ToolScope,
  type ReadCall,
} from '@shallot/core/plugin';
import type { StateRecord } from '@shallot/core/store';

import manifest from '../package.json' with { type: 'json' };
import { carryOut, denied } from './carry-out.ts';
import { decide } from './decide.ts';
import { onceForCall, type OnceForCall } from './once-for-call.ts';
import { hitlOptions, plainRule, type Rule } from './options.ts';
import { alwaysFor, keepRule, problemWith, type AlwaysParts } from './permissions/always.ts';
import type { Judgement } from './permissions/judge.ts';
import { LivePermissions } from './permissions/live-permissions.ts';
import {
  narrowest,
  nothingKept,
  SessionPermissions,
  type KeptInSession,
} from './permissions/session-permissions.ts';
import { checkPreApprovals, whyPreApproved } from './pre-approval.ts';

/**
 * Asks a person before a tool call is executed, showing it exactly as it would be executed, and evaluates the agent's
 * permissions. As a gate, it lets no call through that neither a rule nor a person allows.
 */
export const hitl = definePlugin({
  name: 'hitl',
  version: manifest.version,
  api: manifest.shallot.api,
  priority: 65,
  options: hitlOptions,
  setup({ id, options, permissions: written, permissionFiles, ...plugin }) {
    const { files, hooks, locateOption, log, onReady, provide, redactor, state, use } = plugin;
    const { person, project } = permissionFiles ?? {};
    const session = new SessionPermissions(
      state<KeptInSession>({ key: 'permissions', tree: true, initial: () => nothingKept }),
      { mode: written?.mode ?? 'ask', widest: narrowest(written?.maxMode, person?.maxMode) },
    );
    const permissions = new LivePermissions({
      permissions: written,
      files: permissionFiles,
      entries: options.tools,
      session,
      preApprovals: options.preApprovals,
      preApprovalsOf: (plugin) => use(preApprovalsKey(plugin)),
    });
    const keeping = { permissions, project, redactor };
    provide(approvalsKey(id), { asksAbout: (tool) => permissions.asksAbout(tool) });
    provide(permissionEvaluatorKey, evaluatorOf(id, keeping, files));
    onReady((agent) => {
      const tools = options.tools?.keys() ?? ['*'];
      const locate = locateOption && ((name: string) => locateOption(['tools', name]));
      checkToolPatterns(tools, agent, { plugin: 'hitl', what: 'The approval policy', log, locate });
      permissions.ready(agent, { plugin: 'hitl', what: 'A rule of the permissions', log });
      checkPreApprovals(options, plugin);
    });
    hooks.beforeAgent.tap('mode', (run) => session.settle(run));
    // Outside of the approval, so that nobody is asked about a call that is refused in any case, and a call that a
    // person has edited is checked here again.
    hooks.wrapToolCall.tapPromise({ name: 'deny', gate: true, priority: 70 }, async (call, next, scope) => {
      const { run } = scope;
      session.settle(run);
      if (!permissions.mayDeny(run)) return next(call);
      const { is, because } = permissions.judge(await permissions.read(toRead(call, scope)), { run });
      return is === 'deny' ? denied(id, call, because) : next(call);
    });
    hooks.wrapToolCall.tapPromise({ name: 'approve', gate: true }, async (given, next, scope) => {
      const { run } = scope;
      const read = await permissions.read(toRead(given, scope));
      const call = withTouches(given, touchedBy(read));
      const judged = permissions.judge(read, { run });
      if (judged.is === 'deny') return denied(id, call, judged.because);
      const otherwise = permissions.otherwise(call.name);
      if (judged.is === 'silent' && otherwise === 'allow') return next(call);
      const once = onceForCall(call, scope);
      const { is, rules, because } = await once('verdict', () => ({ ...judged }));
      if (is === 'allow') return release({ rules, because }, { id, call, next, scope });
      if (is === 'silent') {
        if ((await whyPreApproved(options, use, call, scope, once)) !== undefined) return next(call);
        if (otherwise === 'allow') return next(call);
        if (otherwise === 'deny') return denied(id, call, `${because}, and \`default\` is "deny"`);
        if (otherwise !== 'ask' && !(await isAsked(otherwise, call, scope, once))) return next(call);
      }
      const rule = typeof otherwise === 'string' ? plainRule : otherwise;
      const always = is === 'silent' ? alwaysFor(read, run, keeping) : undefined;
      const decision = await decide(options, rule, call, { scope, always }, once);
      if (decision.decision === 'approve' && decision.always !== undefined)
        await keepRule(decision.always, run, keeping);
      return carryOut(decision, id, call, async (decided) => {
        // An edited call touches something else, and this gate is not asked again.
        const own = decided === call ? read : await permissions.read(toRead(decided, { run }));
        return next(withApproval(withTouches(decided, touchedBy(own))));
      });
    });
  },
});

/** Returns the service that reports how calls would be judged. */
function evaluatorOf(
  id: string,
  { permissions, project, redactor }: AlwaysParts,
  files: Files,
): PermissionEvaluator {
  const { session } = permissions;
  // This is the plugin's own state, so it has the type that the plugin stored.
  const keptIn = (state: StateRecord | undefined): KeptInSession | undefined =>
    state?.[id]?.['permissions']?.value as KeptInSession | undefined;
  return {
    judge: (call, context) => permissions.explain(call, { files, ...context }),
    covers: async (rule, { name, input, output }) => {
      const read = await permissions.read({ name, input, output, files });
      return permissions.judge(read, {}, [rule]).rules.includes(rule);
    },
    keptFor: async ({ name, input, output }, state) => {
      const read = await permissions.read({ name, input, output, files });
      const kept = [...(project?.list() ?? []), ...(keptIn(state)?.rules ?? [])];
      const { is, rules } = permissions.judge(read, {}, kept);
      return is === 'allow' ? rules.filter((rule) => kept.includes(rule)) : [];
    },
    whyNotKept: async (rule, { name, input, output }, state) => {
      const read = await permissions.read({ name, input, output, files });
      const judged = permissions.judge(read, {}, [...(keptIn(state)?.rules ?? []), rule]);
      return problemWith(rule, judged, { permissions, redactor });
    },
    rules: () => permissions.list(),
    doubts: () => permissions.doubts(),
    forget: async (rule) => (await project?.remove(rule)) ?? false,
    chooseMode: (sessionId, mode) => session.choose(sessionId, mode),
    modeOf: (sessionId, state) => session.modeOf(sessionId, keptIn(state)),
    modeIn: (run) => session.modeIn(run),
  };
}

function touchedBy({ touches }: ReadCall): readonly string[] | undefined {
  return touches?.map(({ what }) => what);
}

function toRead(
  call: ToolCall,
  { run, output }: Pick<ToolScope, 'run'> & Partial<Pick<ToolScope, 'output'>>,
) {
  const { name, input } = call;
  return {
    name,
    input,
    output,
    get files() {
      return run.files;
    },
    onFailure: (error: unknown) =>
      run.log.error({ err: error, callId: call.id }, 'a call could not be read for the permissions'),
  };
}

interface Entered {
  readonly id: string;
  readonly call: ToolCall;
  readonly next: ToolNext;
  readonly scope: ToolScope;
}

/** Executes a call that rules or the mode allow, and records which ones did. */
async function release(
  { rules, because }: Pick<Judgement, 'rules' | 'because'>,
  { id, call, next, scope }: Entered,
): Promise<ToolResult> {
  scope.run.event('released', { callId: call.id, tool: call.name, rules, because });
  const result = await next(withRelease(call, { rules }));
  return { ...result, metadata: { ...result.metadata, [id]: { released: { rules, because } } } };
}

/**
 * Returns true if the policy asks about a call. The result is stored with `once`: the condition may change after the
 * call has started or a person has answered, which must not change the decision.
 */
async function isAsked(
  { when }: Rule,
  call: ToolCall,
  scope: ToolScope,
  once: OnceForCall,
): Promise<boolean> {
  if (when === undefined) return true;
  return once('when', async () => {
    const answer: unknown = await scope.inTime('when', () => when(call, scope.run, scope.output));
    return answer !== false;
  });
}
