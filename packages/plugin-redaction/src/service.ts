import type { JsonValue, RunInfo } from '@shallot/core';
import { isJsonObject, type RedactionService } from '@shallot/core/plugin';

import { mapStrings } from './map-strings.ts';
import type { RedactedCalls } from './redacted-calls.ts';
import { hashed, isReplaced, masked, redacted } from './replacements.ts';
import type { SealKey } from './seal-key.ts';
import { TextRedaction, type Replace, type Rules } from './text-redaction.ts';

/** The member of sealed JSON. */
const sealedMember = 'redaction/sealed';

interface ServiceParts {
  readonly rules: Rules;
  readonly calls: RedactedCalls;
  readonly key: () => SealKey;
  /** Returns the values of the run's session that this process has decrypted, by placeholder. */
  readonly atHand: (run: RunInfo) => readonly (readonly [string, string | number])[];
}

/** Returns the redaction service for the core: for data that is stored, shown to operators, or returned to plugins. */
export function redactionService({ rules, calls, key, atHand }: ServiceParts): RedactionService {
  const redaction = new TextRedaction(rules, undefined);
  const replace = forOperators(rules);
  return {
    text: (text) => redaction.text(text, replace),
    hide: (value, run) => {
      const known = atHand(run).filter(([, original]) => String(original).length >= shortest);
      const named = known.length === 0 ? value : withNames(value, known);
      return hiddenBlocks(rules, calls, run).json(named);
    },
    restore: (value, run) => calls.restore(value, run),
    seal: (value) => ({ [sealedMember]: key().seal(value) }),
    unseal: (value) => {
      const sealed = isJsonObject(value) ? value[sealedMember] : undefined;
      return typeof sealed === 'string' ? key().unseal(sealed) : value;
    },
  };
}

/** Shorter values would match parts of many words. */
const shortest = 4;

/** Replaces values known from the session with their placeholders, even where no detector matches. */
function withNames(value: JsonValue, known: readonly (readonly [string, string | number])[]): JsonValue {
  return mapStrings(value, (text, _keys, isNumber) =>
    known.reduce(
      (left, [name, original]) =>
        isNumber && left !== String(original) ? left : left.replaceAll(String(original), name),
      text,
    ),
  );
}

/** Returns a redaction that removes blocked values, for places where blocking is too late. */
function hiddenBlocks(rules: Rules, calls: RedactedCalls, run: RunInfo): TextRedaction {
  if (![...rules.actions.values()].includes('block')) return calls.redactionFor(run);
  const actions = new Map(
    [...rules.actions].map(([kind, action]) => [kind, action === 'block' ? 'redact' : action]),
  );
  return calls.redactionFor(run, { ...rules, actions });
}

/** Returns the replacements for operators, without placeholders, because logs do not store their values. */
function forOperators({ actions, hashKey }: Rules): Replace {
  return (kind, match) => {
    if (isReplaced(match)) return match;
    const action = actions.get(kind);
    if (action === 'mask') return masked(match, kind);
    return action === 'hash' ? hashed(match, kind, hashKey) : redacted(kind);
  };
}
