import { createHash } from 'node:crypto';

import {
  definePlugin,
  textOf,
  type JsonSchema,
  type Message,
  type RunInfo,
  type ToolResult,
} from '@shallot/core';
import {
  checkToolPatterns,
  fitsPattern,
  pluginStatusKey,
  textPart,
  visible,
  type Run,
  type ToolScope,
} from '@shallot/core/plugin';

import manifest from '../package.json' with { type: 'json' };
import { classify, type Judged } from './classify.ts';
import {
  guardOptions,
  type CheckSettings,
  type ReadyCheck,
  type Subject,
  type TextToCheck,
} from './options.ts';

/** Lets classifiers check input, tool results and answers. A failure of a classifier counts as flagged. */
export const guard = definePlugin({
  name: 'guard',
  version: manifest.version,
  api: manifest.shallot.api,
  // Outside redaction, so that a classifier on another server gets redacted texts.
  priority: 64,
  options: guardOptions,
  async setup({ id, options, hooks, generate, provide, resolveModel, onReady, log, locateOption }) {
    const checks = await Promise.all(
      options.checks.map(async (settings, index): Promise<ReadyCheck> => {
        const model = settings.model === undefined ? undefined : await resolveModel(settings.model);
        return { settings, model, label: labelOf(settings, index) };
      }),
    );
    provide(pluginStatusKey(id), { lines: () => checks.map(lineOf), notes: () => notesOf(checks) });
    onReady((agent) => {
      for (const [index, { on, tools }] of options.checks.entries()) {
        if (!on.includes('results')) continue;
        checkToolPatterns(tools, agent, {
          plugin: 'guard',
          what: 'A check',
          log,
          locate: locateOption && ((name) => locateOption(['checks', index, 'tools', tools.indexOf(name)])),
        });
      }
    });
    const judge = async (
      check: ReadyCheck,
      text: TextToCheck,
      scope: Asking,
    ): Promise<string | undefined> => {
      if (text.text.trim() === '') return undefined;
      const { run, signal } = scope;
      const key = `${check.label}:${digestOf(text)}`;
      const judged = await scope.once(key, () => classify(check, text, { generate, run, signal }));
      return judged.flagged ? settle(check, text, judged, scope) : undefined;
    };
    for (const check of checksOn('input', checks))
      hooks.beforeModel.tapPromise({ name: `input ${check.label}` }, async (request, run) => {
        const flagged = new Map<Message, string>();
        for (const message of unansweredIn(request.messages, run.newMessages)) {
          const why = await judge(check, { on: 'input', text: textOf(message) }, askingOf(run));
          if (why !== undefined) flagged.set(message, why);
        }
        const [first] = flagged.values();
        if (first === undefined) return undefined;
        run.end(`The input was withheld: ${first}`);
        const messages = request.messages.map((each) => {
          const why = flagged.get(each);
          return why === undefined ? each : withheld(each, why);
        });
        return { ...request, messages };
      });
    for (const check of checksOn('results', checks))
      hooks.wrapToolCall.tapPromise(
        { name: `results ${check.label}`, tree: true },
        async (call, next, scope) => {
          const result = await next(call);
          if (!check.settings.tools.some((pattern) => fitsPattern(pattern, call.name))) return result;
          const text = { on: 'results', tool: call.name, text: textOf(result) } as const;
          const why = await judge(check, text, scope);
          return why === undefined ? result : withheldResult(result, why);
        },
      );
    for (const check of checksOn('answers', checks)) {
      const name = `answers ${check.label}`;
      // An answer that may be withheld must not be streamed before it is judged.
      if (check.settings.action !== 'warn')
        hooks.wrapModelCall.tapPromise({ name, tree: true }, (request, next) =>
          next(request, { emit: () => undefined }),
        );
      hooks.afterModel.tapPromise({ name, tree: true }, async (response, run) => {
        const why = await judge(check, { on: 'answers', text: textOf(response.message) }, askingOf(run));
        if (why === undefined) return undefined;
        const content = [textPart(`The answer was withheld: ${why}`)];
        return { ...response, finish: 'content-filter', message: { ...response.message, content } };
      });
    }
  },
});

/**
 * Returns the new user messages, and those that no model has answered yet: if their run was aborted, it may not have
 * checked them. They are among the last, so the search begins at the end and spares the history.
 */
function unansweredIn(messages: readonly Message[], added: readonly Message[]): readonly Message[] {
  const ids = new Set(added.map(({ id }) => id));
  const found: Message[] = [];
  let isAnswered = false;
  for (let index = messages.length - 1; index >= 0 && (ids.size > 0 || !isAnswered); index -= 1) {
    const message = messages[index];
    if (message === undefined) continue;
    const { id, role, source } = message;
    isAnswered ||= role === 'assistant';
    // A message with a source was written by a plugin, so it is no input.
    const isOpen = !isAnswered && source === undefined;
    if ((ids.delete(id) || isOpen) && role === 'user') found.unshift(message);
  }
  return found;
}

/** The parts of a hook's context that a check needs. */
interface Asking extends Pick<ToolScope, 'signal' | 'once' | 'interrupt'> {
  readonly run: RunInfo;
}

function askingOf(run: Run): Asking {
  return { run, signal: run.signal, once: run.once, interrupt: run.interrupt };
}

/**
 * Warns about a flagged text, and asks a person if the check says so. Returns the reason if the text is withheld; otherwise
 * undefined.
 */
async function settle(
  { settings: { action }, label }: ReadyCheck,
  { on, text, tool }: TextToCheck,
  { reason, hasFailed }: Judged,
  { run, interrupt }: Asking,
): Promise<string | undefined> {
  const what = tool === undefined ? on : `${on} of ${tool}`;
  run.warn(hasFailed ? 'CLASSIFIER_FAILED' : 'FLAGGED', `The check ${label} flagged ${what}: ${reason}`);
  if (action === 'warn') return undefined;
  if (action === 'block') return reason;
  const answer: unknown = await interrupt({
    kind: 'guard',
    payload: {
      on,
      ...(tool === undefined ? {} : { tool }),
      reason: visible(reason),
      text: visible(text.slice(0, 2000)),
    },
    answer: answerSchema,
  });
  const decision: unknown =
    typeof answer === 'object' && answer !== null ? Reflect.get(answer, 'decision') : undefined;
  return decision === 'pass' ? undefined : reason;
}

const answerSchema: JsonSchema = {
  type: 'object',
  properties: { decision: { enum: ['pass', 'withhold'] } },
  required: ['decision'],
  additionalProperties: false,
};

function withheld(message: Message, reason: string): Message {
  return { ...message, content: [textPart(`(withheld: ${reason})`)] };
}

function withheldResult({ metadata }: ToolResult, reason: string): ToolResult {
  const content = [textPart(`The call was executed, but its result is withheld: ${reason}`)];
  return { content, isError: true, ...(metadata === undefined ? {} : { metadata }) };
}

function checksOn(subject: Subject, checks: readonly ReadyCheck[]): readonly ReadyCheck[] {
  return checks.filter(({ settings }) => settings.on.includes(subject));
}

function labelOf({ url, prompt }: CheckSettings, index: number): string {
  const does = url ?? (prompt === undefined ? 'function' : 'prompt');
  return `${index + 1}: ${does.slice(0, 60)}`;
}

function lineOf({ label, settings: { on, action } }: ReadyCheck): string {
  return `${label}; on ${on.join(', ')}; ${action}; closed on failure`;
}

function notesOf(checks: readonly ReadyCheck[]): readonly string[] {
  if (checks.length === 0)
    return ['The guard has no checks, so it guards nothing. Write them under "checks".'];
  return checks
    .filter(({ settings }) => settings.action === 'warn')
    .map(({ label }) => `The check ${label} only warns: flagged texts pass.`);
}

function digestOf(text: TextToCheck): string {
  return createHash('sha256').update(JSON.stringify(text)).digest('base64url');
}
