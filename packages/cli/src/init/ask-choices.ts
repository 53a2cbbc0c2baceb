import type { Prompts } from '../terminal/prompts.ts';
import { configLanguages, type ConfigLanguage } from './starter-files.ts';

/** What `shallot init` can be told by flags; what is left open is asked, or has a default. */
export interface InitFlags {
  readonly model?: string | undefined;
  readonly plugins?: readonly string[] | undefined;
  readonly language?: ConfigLanguage | undefined;
}

export interface InitAnswers {
  readonly model: string;
  readonly plugins: readonly string[];
  readonly language: ConfigLanguage;
}

/** The model that `init` writes when nobody names another: it needs no key. */
export const offline = 'offline';

/** What is taken without a question. */
export function withDefaults({ model = offline, plugins = [], language = 'yaml' }: InitFlags): InitAnswers {
  return { model, plugins, language };
}

/** Asks what the flags leave open. Rejects with `PromptLeft`. */
export async function askChoices(
  flags: InitFlags,
  known: readonly string[],
  prompts: Prompts,
): Promise<InitAnswers> {
  const model = flags.model ?? (await askModel(prompts));
  const plugins =
    flags.plugins ??
    (await prompts.chooseSeveral(
      'Which plugins? (space selects, Enter goes on; shallot add brings more at any time)',
      known.map((name) => ({ value: name, label: name })),
    ));
  const language =
    flags.language ??
    (await prompts.choose(
      'Which language for the config?',
      configLanguages.map((value) => ({ value, label: labels[value] })),
    ));
  return { model, plugins, language };
}

const labels: Readonly<Record<ConfigLanguage, string>> = { yaml: 'YAML', json: 'JSON', ts: 'TypeScript' };

async function askModel(prompts: Prompts): Promise<string> {
  const kind = await prompts.choose('Which model?', [
    { value: offline, label: 'An offline model for now', hint: 'needs no key' },
    { value: 'provider', label: 'One of a provider', hint: 'without its key, the offline model answers' },
  ]);
  if (kind === offline) return offline;
  return prompts.text('Its name, provider/model:', {
    initial: 'anthropic/claude-sonnet-5',
    check: modelFault,
  });
}

/** What is wrong with the name of a model. */
export function modelFault(model: string): string | undefined {
  return model === offline || /^[a-z0-9-]+\/[\w./:@-]+$/i.test(model)
    ? undefined
    : `${JSON.stringify(model)} is not the name of a model. Write provider/model, or ${offline}.`;
}
