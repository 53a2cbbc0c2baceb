import type { JsonObject } from '@shallot/core';
import {
  parsePermissionRule,
  reasonOf,
  visible,
  type Always,
  type Decision,
  type DecisionKind,
  isJsonObject,
} from '@shallot/core/plugin';
import type { Approval } from '@shallot/core/work';

import type { QuestionPrompts } from '../keyboard/question-prompts.ts';
import { editInEditor, editorOf } from '../terminal/edit-in-editor.ts';
import { PromptLeft, type Choice } from '../terminal/prompts.ts';
import type { Screen } from '../terminal/screen.ts';
import { visibleJson } from '../terminal/visible.ts';
import { parseJson } from './parse-json.ts';

const labels: Readonly<Record<DecisionKind, Omit<Choice<DecisionKind>, 'value'>>> = {
  approve: { label: 'Approve', hint: 'execute the call as shown' },
  edit: { label: 'Edit', hint: 'change the arguments, then execute the call' },
  reject: { label: 'Reject', hint: 'do not execute the call; tell the model why' },
  respond: { label: 'Respond', hint: 'do not execute the call; give the model a result instead' },
};

/**
 * Asks for a decision about a call. After an edit without changes or with errors, it asks again. @throws `PromptLeft` if
 * the question stays open
 */
export async function askApproval(
  { call, decisions, always }: Approval,
  { prompts, screen, signal }: Asking,
): Promise<Decision> {
  const choices: Choice<DecisionKind | 'always' | 'later'>[] = [
    ...decisions.map((value) => ({ value, ...labels[value] })),
    ...(always?.rule === undefined
      ? []
      : [
          {
            value: 'always' as const,
            label: 'Always',
            hint: `approve, and keep the rule ${visible(always.rule)}`,
          },
        ]),
    { value: 'later', label: 'Later', hint: 'stop here and leave the question open' },
  ];
  for (;;) {
    const decision = await prompts.choose(`Allow the call of ${visible(call.name)}?`, choices);
    switch (decision) {
      case 'later':
        throw new PromptLeft();
      case 'approve':
        return { decision };
      case 'always':
        return { decision: 'approve', always: await askRule(always, prompts) };
      case 'reject': {
        const reason = await prompts.text('Reason for the model (optional)');
        return { decision, ...(reason !== '' && { reason }) };
      }
      case 'respond':
        return { decision, content: await prompts.text('Result for the model', { check: notEmpty }) };
      case 'edit': {
        const args = await editArguments(isJsonObject(call.input) ? call.input : {}, {
          prompts,
          screen,
          signal,
        });
        if (args !== undefined) return { decision, args };
      }
    }
  }
}

/** Asks which rule to keep, beginning with the proposed one, and for how long unless there is only one scope. */
async function askRule(
  { scopes = [], rule = '' }: Partial<NonNullable<Approval['always']>> = {},
  prompts: QuestionPrompts,
): Promise<Always> {
  const kept = await prompts.text('The rule to keep', { initial: rule, check: wrongRule });
  const [only, ...others] = scopes;
  if (only !== undefined && others.length === 0) return { scope: only, rule: kept };
  const scope = await prompts.choose('For how long?', [
    { value: 'session', label: 'Session', hint: 'as long as this session goes on' },
    { value: 'project', label: 'Project', hint: 'for all sessions here' },
  ]);
  return { scope, rule: kept };
}

function wrongRule(text: string): string | undefined {
  const parsed = parsePermissionRule(text);
  return 'advice' in parsed ? `Not a rule: ${parsed.advice}.` : undefined;
}

/** The prompts and screen for asking, and a signal that ends it. */
export interface Asking {
  readonly prompts: QuestionPrompts;
  readonly screen: Screen;
  readonly signal: AbortSignal;
}

async function editArguments(
  input: JsonObject,
  { prompts, screen, signal }: Asking,
): Promise<JsonObject | undefined> {
  const { env } = screen.io;
  const editor = editorOf(screen.io);
  let text = visibleJson(JSON.stringify(input, null, editor === undefined ? undefined : 2));
  for (;;) {
    if (editor === undefined) {
      text = await prompts.text('The arguments, as JSON', { initial: text, check: wrongArguments });
    } else {
      try {
        const before = text;
        text = await prompts.lend(() => editInEditor(editor, before, { env, signal }));
      } catch (error) {
        if (signal.aborted) throw new PromptLeft();
        screen.note(`Nothing was changed: ${reasonOf(error)}.`);
        return undefined;
      }
    }
    const parsed = parseJson(text);
    if ('value' in parsed && isJsonObject(parsed.value)) {
      if (JSON.stringify(parsed.value) !== JSON.stringify(input)) return parsed.value;
      screen.note('Nothing was changed.');
      return undefined;
    }
    screen.note(`${screen.paintNotes.red('error')} ${wrongArguments(text) ?? ''}`);
    const again = await prompts.choose('The arguments are invalid.', [
      { value: 'edit', label: 'Edit again' },
      { value: 'back', label: 'Back', hint: 'discard the changes' },
    ]);
    if (again === 'back') return undefined;
  }
}

function wrongArguments(text: string): string | undefined {
  const parsed = parseJson(text);
  if ('problem' in parsed) return parsed.problem;
  return isJsonObject(parsed.value) ? undefined : 'The arguments must be a JSON object: { … }';
}

function notEmpty(text: string): string | undefined {
  return text === '' ? 'Enter a result for the model.' : undefined;
}
