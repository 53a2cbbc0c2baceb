import type { JsonValue } from '@shallot/core';
import { ShallotError } from '@shallot/core';
import type { Redactor, TextStage } from '@shallot/core/plugin';

import type { Detector } from './detectors.ts';
import { FinderStage, type Find } from './finder-stage.ts';
import { mapStrings } from './map-strings.ts';
import { restoreText, type Originals } from './originals.ts';
import { PatternStage, type OwnPattern } from './pattern-stage.ts';
import { hashed, isReplaced, masked, redacted, type Action } from './replacements.ts';
import { maxSegment } from './segment-end.ts';
import { anySign, SegmentStage } from './segment-stage.ts';
import { stagesInRow } from './stages-in-row.ts';

export interface OwnFinder {
  readonly name: string;
  readonly find: Find;
}

/** The detectors, and the action for each kind. */
export interface Rules {
  readonly actions: ReadonlyMap<string, Action>;
  readonly own: readonly (OwnPattern | OwnFinder)[];
  /** The built-in detectors of the kinds in `actions`. */
  readonly detectors: readonly Detector[];
  readonly hashKey: string;
  readonly redactor: Redactor;
  /** Returns true if a key is named like a secret. */
  readonly isSecretKey: (key: string) => boolean;
  /** Parts of messages that are known to contain no match. */
  readonly clean: WeakSet<object>;
}

/** Returns the replacement of a match. */
export type Replace = (kind: string, match: string) => string;

/** Redacts texts of one session. */
export class TextRedaction {
  readonly #rules: Rules;
  readonly #originals: Originals | undefined;

  /** Without `originals`, values cannot be restored, and placeholders are plain replacements. */
  constructor(rules: Rules, originals: Originals | undefined) {
    this.#rules = rules;
    this.#originals = originals;
  }

  /** Returns a stage for a text in pieces. `replace` returns the replacement of a match. Default: by the rules. */
  stage(replace = this.replace, hasSecrets = true): TextStage {
    const { own, redactor, actions, detectors } = this.#rules;
    const segments = new SegmentStage({
      detectors,
      redactor: actions.has('secret') ? redactor : undefined,
      hasSecrets,
      replace,
    });
    if (own.length === 0) return segments;
    return stagesInRow([...own.map((each) => ownStage(each, replace)), segments]);
  }

  /** Redacts a text. @throws `redaction/BLOCKED` */
  text(text: string, replace = this.replace): string {
    const isKnown = this.#rules.own.length === 0 && text.length <= maxSegment;
    const hasSecrets = !isKnown || this.#hasSecrets(text);
    if (isKnown && !hasSecrets && !this.#hasSigns(text)) return text;
    const stage = this.stage(replace, hasSecrets);
    const out = stage.push(text);
    return out + stage.end();
  }

  /**
   * Redacts the strings of JSON, and values of keys named like secrets. Strings for which `isLeft` returns true stay
   * unchanged. @throws `redaction/BLOCKED`
   */
  json(value: JsonValue, isLeft: (text: string) => boolean = leaveNone): JsonValue {
    return mapStrings(value, (text, keys, isNumber) => {
      if (isLeft(text)) return text;
      // A number that is replaced as a whole is restored as a number.
      const replace: Replace = isNumber
        ? (kind, match) => this.#replaced(kind, match, match === text)
        : this.replace;
      return keys.some(this.isSecretKey) && isHidden(text)
        ? replace('secret', text)
        : this.text(text, replace);
    });
  }

  /** Returns true if a part is known to contain no match. */
  isClean(part: object): boolean {
    return this.#rules.clean.has(part);
  }

  noteClean(part: object): void {
    this.#rules.clean.add(part);
  }

  /** Returns true if a key is named like a secret. */
  readonly isSecretKey = (key: string): boolean => this.#rules.isSecretKey(key);

  #hasSecrets(text: string): boolean {
    const { actions, redactor } = this.#rules;
    return text.length >= shortestMatch && actions.has('secret') && redactor.text(text) !== text;
  }

  /** Returns false for a text that no detector needs to search; most are such. */
  #hasSigns(text: string): boolean {
    if (text.length < shortestMatch || !anySign.test(text)) return false;
    return this.#rules.detectors.some(({ sign }) => sign.test(text));
  }

  /** Returns the replacement of a match. @throws `redaction/BLOCKED` */
  readonly replace: Replace = (kind, match) => this.#replaced(kind, match, false);

  #replaced(kind: string, match: string, isNumber: boolean): string {
    if (isReplaced(match)) return match;
    switch (this.#rules.actions.get(kind)) {
      case 'mask':
        return masked(match, kind);
      case 'hash':
        return hashed(match, kind, this.#rules.hashKey);
      case 'placeholder': {
        if (this.#originals === undefined) return redacted(kind);
        const original = restoreText(match, this.#originals.valueOf);
        return this.#originals.placeholderFor(kind, isNumber ? Number(original) : original);
      }
      case 'block':
        throw blocked(kind);
      case 'redact':
      case undefined:
        return redacted(kind);
    }
  }
}

function ownStage(own: OwnPattern | OwnFinder, replace: Replace): TextStage {
  return 'find' in own ? new FinderStage(own.name, own.find, replace) : new PatternStage(own, replace);
}

/** Returns whether the value of a secret key must be redacted. Short numbers are probably counts. */
function isHidden(text: string): boolean {
  return text !== '' && !/^-?\d{1,3}$/.test(text);
}

/** The shortest match of the built-in detectors; known secrets are at least as long. */
const shortestMatch = 4;

function blocked(kind: string): ShallotError {
  return new ShallotError('redaction/BLOCKED', {
    message: `The text contains a value of the kind "${kind}", which the redaction plugin blocks. Remove it, or choose another action for ${kind}.`,
    plugin: 'redaction',
  });
}

const leaveNone = (): boolean => false;
