import type { Interrupt, JsonObject, JsonValue } from '@shallot/core';
import { keepScopes, type Decision, type DecisionKind, visible, isJsonObject } from '@shallot/core/plugin';
import { approvalOf, pendingInterrupts } from '@shallot/core/work';

import { answerHints, resumeHint } from '../asking/answer-hints.ts';
import type { AgentCommandOptions } from '../asking/config-loading.ts';
import { findQuestion, type Question } from '../asking/find-question.ts';
import { parseJson } from '../asking/parse-json.ts';
import { recordAnswer } from '../asking/record-answer.ts';
import { noteWarning } from '../rendering/note-failure.ts';
import { summarize } from '../rendering/summarize.ts';
import { CommandFailure } from '../terminal/command-failure.ts';
import { exitStatus } from '../terminal/exit-status.ts';
import type { Screen } from '../terminal/screen.ts';
import { visibleLine } from '../terminal/visible.ts';
import { withAgent } from '../work/with-agent.ts';
import { withSharedStore } from '../work/with-store.ts';

export interface ApproveCommandOptions extends AgentCommandOptions {
  /** JSON: the arguments to execute the call with instead. */
  readonly editArgs?: string;
  /** The rule to keep; `true` for the proposed one. */
  readonly always?: string | true;
  readonly scope?: string;
}

export interface RejectCommandOptions extends AgentCommandOptions {
  readonly reason?: string;
}

/** `shallot approve`: approves a call, as shown or with other arguments, to be executed when its session is resumed. */
export async function approveCommand(
  id: string,
  options: ApproveCommandOptions,
  screen: Screen,
): Promise<void> {
  const { editArgs, always, scope = 'session' } = options;
  if (editArgs !== undefined && always !== undefined)
    throw new CommandFailure(
      exitStatus.usage,
      '--always keeps a rule for the call as shown; leave out --edit-args.',
    );
  const decision: Decision =
    editArgs === undefined ? { decision: 'approve' } : { decision: 'edit', args: readArguments(editArgs) };
  const kept = keepScopes.find((each) => each === scope);
  if (kept === undefined)
    throw new CommandFailure(
      exitStatus.usage,
      `--scope is ${JSON.stringify(scope)}; write one of ${keepScopes.join(', ')}.`,
    );
  await answer({ command: 'shallot approve', id, screen }, options, async (question) => {
    const { interrupt } = question;
    const given = decide(interrupt, decision, options, screen);
    if (decision.decision === 'edit') await checkEdited(decision.args, question, options, screen);
    if (typeof always === 'string') await checkRule(always, question, options, screen);
    return always === undefined
      ? given
      : { decision: 'approve', always: { scope: kept, rule: ruleFor(interrupt, always) } };
  });
}

/** `shallot reject`: rejects a call; the model is told when the session is resumed. */
export async function rejectCommand(
  id: string,
  options: RejectCommandOptions,
  screen: Screen,
): Promise<void> {
  const { reason } = options;
  const decision: Decision = { decision: 'reject', ...(reason !== undefined && { reason }) };
  await answer({ command: 'shallot reject', id, screen }, options, ({ interrupt }) =>
    decide(interrupt, decision, options, screen),
  );
}

/** `shallot answer`: answers any question with JSON. */
export async function answerCommand(
  id: string,
  json: string,
  options: AgentCommandOptions,
  screen: Screen,
): Promise<void> {
  const parsed = parseJson(json);
  if ('problem' in parsed) {
    throw new CommandFailure(
      exitStatus.usage,
      `${parsed.problem}. Write the answer as JSON in single quotes; a string needs its own quotes: '"yes"'.`,
    );
  }
  await answer({ command: 'shallot answer', id, screen }, options, () => parsed.value);
}

/** Stores an answer, and prints the next step. The answer is validated by the question's schema. */
async function answer(
  { command, id, screen }: { readonly command: string; readonly id: string; readonly screen: Screen },
  options: AgentCommandOptions,
  make: (question: Question) => JsonValue | Promise<JsonValue>,
): Promise<void> {
  await withSharedStore(command, options, screen, async (store) => {
    const question = await findQuestion(store, id, (error) => noteWarning(error, screen));
    const { sessionId, interrupt } = question;
    const given = await make(question);
    await recordAnswer(store, sessionId, interrupt.id, given, screen);
    const left = (await pendingInterrupts(store, sessionId)).length;
    const { bold, dim } = screen.paint;
    await screen.line(
      `${summarize(asAnswered(interrupt, given))}\n  ${bold('answer')} ${visible(JSON.stringify(given))}`,
    );
    await screen.line(
      left === 0
        ? `Session ${visibleLine(sessionId)} has no open questions left. Continue: ${resumeHint(sessionId, options, screen)}`
        : dim(`Session ${visibleLine(sessionId)} is waiting for ${left} more: see shallot pending.`),
    );
  });
}

/** Returns a question with the arguments with which its answer lets the call be executed. */
function asAnswered(interrupt: Interrupt, given: JsonValue): Interrupt {
  const args = isJsonObject(given) && given['decision'] === 'edit' ? given['args'] : undefined;
  if (interrupt.call === undefined || args === undefined) return interrupt;
  const { output: _, ...call } = interrupt.call;
  return { ...interrupt, call: { ...call, input: args } };
}

/**
 * Checks the arguments of an edited call by the schema of its tool, as the resumed run will. Without an agent that can
 * be loaded here, and for calls of subagents, that check is left to the run. @throws a usage failure with the reason
 */
async function checkEdited(
  args: JsonObject,
  { interrupt: { call, address } }: Question,
  options: AgentCommandOptions,
  screen: Screen,
): Promise<void> {
  if (call === undefined || address?.parent !== undefined) return;
  const { name } = call;
  const checking = withAgent({ ...options, quiet: true }, { screen, signal: screen.broken }, ({ agent }) =>
    Promise.resolve(
      agent.tools
        .list()
        .find((tool) => tool.name === name)
        ?.validate(args),
    ),
  );
  const checked = await checking.catch((error: unknown) => {
    if (error instanceof CommandFailure) return undefined;
    throw error;
  });
  if (checked === undefined || checked.ok) return;
  throw new CommandFailure(
    exitStatus.usage,
    `--edit-args: these are no arguments of ${visibleLine(name)}: ${visibleLine(checked.issues)}. Nothing was answered.`,
  );
}

/**
 * Checks a rule that a person wrote for an answer, as the resumed run would. The proposed rule needs no check, and no
 * agent. @throws a usage failure with the reason
 */
async function checkRule(
  rule: string,
  { sessionId, interrupt }: Question,
  options: AgentCommandOptions,
  screen: Screen,
): Promise<void> {
  const { call } = interrupt;
  const always = approvalOf(interrupt)?.always;
  if (call === undefined || always === undefined || always.rule === rule) return;
  const why = await withAgent(options, { screen, signal: screen.broken }, async ({ agent }) => {
    const { state } = (await agent.session(sessionId)) ?? {};
    return agent.permissions?.whyNotKept(rule, call, state);
  });
  if (why !== undefined)
    throw new CommandFailure(exitStatus.usage, `${visibleLine(why)}. Nothing was answered.`);
}

/** Returns the rule to keep: the given one, or the one that the question proposes. */
function ruleFor(interrupt: Interrupt, given: string | true): string {
  const always = approvalOf(interrupt)?.always;
  const rule = given === true ? always?.rule : given;
  if (always !== undefined && rule !== undefined) return rule;
  throw new CommandFailure(
    exitStatus.usage,
    always === undefined
      ? `The answer to ${visibleLine(interrupt.id)} cannot be kept. Leave out --always.`
      : `No rule is proposed for ${visibleLine(interrupt.id)}. Write one: --always 'edit(src/**)'.`,
  );
}

/** Returns the answer to a question for a decision. @throws a usage failure if it does not accept that decision */
function decide(
  interrupt: Interrupt,
  decision: Decision,
  options: AgentCommandOptions,
  screen: Screen,
): JsonValue {
  const approval = approvalOf(interrupt);
  const kind: DecisionKind = decision.decision;
  if (approval?.decisions.includes(kind)) return { ...decision };
  const why =
    approval === undefined
      ? `is not an approval but a question of kind "${visible(interrupt.kind)}"`
      : `does not accept "${kind}", only ${approval.decisions.join(', ')}`;
  const hints = answerHints(interrupt, options, screen).join('\n  ');
  throw new CommandFailure(
    exitStatus.usage,
    `${visibleLine(interrupt.id)} ${why}. Answer it with:\n  ${hints}`,
  );
}

function readArguments(json: string): Extract<Decision, { decision: 'edit' }>['args'] {
  const parsed = parseJson(json);
  if ('value' in parsed && isJsonObject(parsed.value)) return parsed.value;
  const problem = 'problem' in parsed ? parsed.problem : 'It is not a JSON object';
  throw new CommandFailure(
    exitStatus.usage,
    `--edit-args: ${problem}. Write all arguments of the call: '{ "path": "…" }'.`,
  );
}
