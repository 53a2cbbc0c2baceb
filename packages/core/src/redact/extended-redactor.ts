import { keyReader } from './key-reader.ts';
import { redactValue } from './redact-value.ts';
import { censor, type Redactor } from './redactor.ts';

/**
 * Returns a redactor that also applies the functions of plugins, which `more` returns. Calls from within such a
 * function use only the base redactor.
 */
export function extendedRedactor(
  base: Redactor,
  more: () => readonly ((text: string) => string)[],
): Redactor {
  let isInside = false;
  const text = (given: string): string => {
    const left = base.text(given);
    const removals = isInside ? [] : more();
    if (removals.length === 0) return left;
    isInside = true;
    try {
      return removals.reduce((rest, remove) => remove(rest), left);
    } finally {
      isInside = false;
    }
  };
  const key = keyReader(text);
  return Object.freeze({
    text,
    isOpen: base.isOpen,
    value: (value) => redactValue(value, { text, key, censor }),
    with: (secrets) => extendedRedactor(base.with(secrets), more),
  } satisfies Redactor);
}
