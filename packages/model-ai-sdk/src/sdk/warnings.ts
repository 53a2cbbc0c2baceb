import type { GenerateResult } from './language-model.ts';

/** Returns the text for a provider's warning, such as an unsupported setting. */
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
      // Newer versions may have other kinds.
      return JSON.stringify(warning) ?? 'The provider sent a warning without details.';
  }
}

function details(text: string | undefined): string {
  return text === undefined ? '.' : `: ${text}`;
}
