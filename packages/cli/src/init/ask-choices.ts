import { providerNeeds } from '@shallot/core/command';

import type { Prompts } from '../terminal/prompts.ts';
import { addressFault, nameFault, needsOf, offline, variablesOf, type ModelAnswer } from './model-answer.ts';
import { configLanguages, type ConfigLanguage } from './starter-files.ts';
import { isTemplateName, templates, type TemplateName } from './templates.ts';

/** The answers given by flags of `shallot init`; others are asked, or have a default. */
export interface InitFlags {
  readonly template?: TemplateName | undefined;
  readonly model?: string | undefined;
  readonly baseURL?: string | undefined;
  readonly plugins?: readonly string[] | undefined;
  readonly language?: ConfigLanguage | undefined;
}

export interface InitAnswers {
  readonly template: TemplateName;
  readonly model: ModelAnswer;
  /** The plugins to list beside those of the template. */
  readonly plugins: readonly string[];
  readonly language: ConfigLanguage;
}

/** Returns the answers of the flags, with defaults for the others. */
export function withDefaults({
  template = 'empty',
  model: name = offline,
  baseURL,
  plugins = [],
  language = 'yaml',
}: InitFlags): InitAnswers {
  return { template, model: { name, baseURL }, plugins, language };
}

/** Asks for the answers that flags do not give. Rejects with `PromptLeft` if the person leaves a question open. */
export async function askChoices(
  flags: InitFlags,
  known: readonly string[],
  prompts: Prompts,
): Promise<InitAnswers> {
  const template = flags.template ?? (await askTemplate(prompts));
  const model = await askModel(flags, prompts);
  const own = templates[template].plugins.map(({ use }) => use);
  const plugins =
    flags.plugins ??
    (await prompts.chooseSeveral(
      'Which plugins beside those? (space selects, Enter goes on; shallot add brings more at any time)',
      known.filter((name) => !own.some((use) => use === name)).map((name) => ({ value: name, label: name })),
    ));
  const language =
    flags.language ??
    (await prompts.choose(
      'Which language for the config?',
      configLanguages.map((value) => ({ value, label: labels[value] })),
    ));
  return { template, model, plugins, language };
}

const labels: Readonly<Record<ConfigLanguage, string>> = { yaml: 'YAML', json: 'JSON', ts: 'TypeScript' };

function askTemplate(prompts: Prompts): Promise<TemplateName> {
  const names = Object.keys(templates).filter(isTemplateName);
  return prompts.choose(
    'What is the agent for?',
    names.map((value) => ({ value, label: templates[value].label, hint: templates[value].hint })),
  );
}

async function askModel({ model, baseURL }: InitFlags, prompts: Prompts): Promise<ModelAnswer> {
  const name = model ?? (await askName(prompts));
  if (baseURL !== undefined || needsOf(name)?.needsURL !== true) return { name, baseURL };
  const check = addressFault;
  return { name, baseURL: await prompts.text('At which address?', { initial: 'http://localhost:', check }) };
}

async function askName(prompts: Prompts): Promise<string> {
  const provider = await prompts.choose('Which provider has the model?', [
    { value: offline, label: 'None for now', hint: 'the offline model needs no key' },
    ...Object.entries(providerNeeds).map(([value, needs]) => ({
      value,
      label: value,
      hint: variablesOf(needs).join(', ') || 'no key',
    })),
  ]);
  if (provider === offline) return offline;
  const model = await prompts.text(`Which model, as ${provider} names it?`, {
    check: (text) => nameFault(`${provider}/${text}`),
  });
  return `${provider}/${model}`;
}
