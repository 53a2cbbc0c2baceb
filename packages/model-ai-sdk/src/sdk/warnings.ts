import type { GenerateResult } from './language-model.ts';

/** What a provider warns of, in words: a setting that the model does not take, for instance. */
export function warningText(warning: GenerateResult['warnings'][number]): string {
  switch (warning.type) {
    case 'unsupported':
      return `The model does not support ${warning.feature}${details(warning.details)}`;
    case 'compatibility':
      return `The model supports ${warning.feature} in a compatibility mode${details(warning.details)}`;
    case 'deprecated':
      return `${warning.setting} is deprecated: ${warning.message}`;
    case 'other':
      return warning.message;
    default:
      // A newer version has more kinds of them.
      return JSON.stringify(warning) ?? 'The provider sent a warning without details.';
  }
}

function details(text: string | undefined): string {
  return text === undefined ? '.' : `: ${text}`;
}
