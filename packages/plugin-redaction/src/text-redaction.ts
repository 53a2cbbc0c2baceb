import type { JsonValue } from '@shallot/core';
import { ShallotError } from '@shallot/core';
import type { Redactor } from '@shallot/core/plugin';

import { detectors, type Detector } from './detectors.ts';
import { FinderStage, type Find } from './finder-stage.ts';
import { mapStrings } from './map-strings.ts';
import type { Originals } from './originals.ts';
import { PatternStage, type OwnPattern } from './pattern-stage.ts';
import { hashed, isReplaced, masked, redacted, type Action } from './replacements.ts';
import { maxSegment } from './segment-end.ts';
import { anySign, SegmentStage } from './segment-stage.ts';
import { stagesInRow, type TextStage } from './text-stage.ts';

export interface OwnFinder {
  readonly name: string;
  readonly find: Find;
}

/** What is found, and what becomes of it. */
export interface Rules {
  readonly actions: ReadonlyMap<string, Action>;
  readonly own: readonly (OwnPattern | OwnFinder)[];
  readonly hashKey: string;
  readonly redactor: Redactor;
  /** Whether what stands under a name is a secret. */
  readonly isSecretKey: (key: string) => boolean;
  /** Parts of messages in which nothing is to be found. */
  readonly clean: WeakSet<object>;
}

/** What stands in place of a match of a kind. */
export type Replace = (kind: string, match: string) => string;

/** Placeholders as somebody wrote them who is not this plugin: they stand for themselves. */
export const typedKind = 'text';

/** Redacts texts of one session. */
export class TextRedaction {
  readonly #rules: Rules;
  readonly #originals: Originals | undefined;
  readonly #fromOutside: boolean;
  readonly #detectors: readonly Detector[];

  /** `fromOutside`: whether the texts come from users and tools, and placeholders in them are none of ours. */
  constructor(rules: Rules, originals: Originals | undefined, fromOutside: boolean) {
    this.#rules = rules;
    this.#originals = originals;
    this.#fromOutside = fromOutside && originals !== undefined;
    this.#detectors = detectors.filter(({ kind }) => rules.actions.has(kind));
    if (this.#fromOutside) this.#detectors = [typedPlaceholders(rules), ...this.#detectors];
  }

  /** A stage for a text that comes in pieces. `replace` says what stands in place of a match; by default, what is chosen. */
  stage(replace = this.replace): TextStage {
    const { own, redactor, actions } = this.#rules;
    const segments = new SegmentStage({
      detectors: this.#detectors,
      redactor: actions.has('secret') ? redactor : undefined,
      replace,
    });
    if (own.length === 0) return segments;
    return stagesInRow([...own.map((each) => ownStage(each, replace)), segments]);
  }

  /** @throws `redaction/BLOCKED` */
  text(text: string): string {
    if (text === '' || this.#isPlain(text)) return text;
    const stage = this.stage();
    const out = stage.push(text);
    return out + stage.end();
  }

  /**
   * JSON with its strings redacted, and what stands under the name of a secret; `isLeft` tells the strings that stay as they
   * are. @throws `redaction/BLOCKED`
   */
  json(value: JsonValue, isLeft: (text: string) => boolean = leaveNone): JsonValue {
    return mapStrings(value, (text, keys) => {
      if (isLeft(text)) return text;
      return keys.some(this.isSecretKey) && isHidden(text) ? this.replace('secret', text) : this.text(text);
    });
  }

  /** Whether there is nothing to be found in a part. From outside, placeholders of another session may be. */
  isClean(part: object): boolean {
    return !this.#fromOutside && this.#rules.clean.has(part);
  }

  noteClean(part: object): void {
    this.#rules.clean.add(part);
  }

  /** Whether what stands under this name is a secret. */
  readonly isSecretKey = (key: string): boolean => this.#rules.isSecretKey(key);

  /** Most texts are short, and a look tells that nothing can be found in them. */
  #isPlain(text: string): boolean {
    const { own, actions, redactor } = this.#rules;
    if (own.length > 0 || text.length > maxSegment) return false;
    if (text.length < shortestMatch) return true;
    if (anySign.test(text)) return false;
    return !actions.has('secret') || redactor.text(text) === text;
  }

  /** What stands in place of a match. @throws `redaction/BLOCKED` */
  readonly replace = (kind: string, match: string): string => {
    if (kind === typedKind) return this.#originals?.placeholderFor(kind, match) ?? match;
    if (isReplaced(match)) return match;
    switch (this.#rules.actions.get(kind)) {
      case 'mask':
        return masked(match, kind);
      case 'hash':
        return hashed(match, kind, this.#rules.hashKey);
      case 'placeholder': {
        const original = this.#fromOutside ? match : (this.#originals?.restore(match) ?? match);
        return this.#originals?.placeholderFor(kind, original) ?? redacted(kind);
      }
      case 'block':
        throw blocked(kind);
      case 'redact':
      case undefined:
        return redacted(kind);
    }
  };
}

function ownStage(own: OwnPattern | OwnFinder, replace: Replace): TextStage {
  return 'find' in own ? new FinderStage(own.name, own.find, replace) : new PatternStage(own, replace);
}

/** Short numbers count something. */
function isHidden(text: string): boolean {
  return text !== '' && !/^-?\d{1,3}$/.test(text);
}

/** Of what is built in; known secrets have that many characters at least. */
const shortestMatch = 4;

function typedPlaceholders({ actions }: Rules): Detector {
  const names = [...actions.keys(), typedKind].map((kind) => kind.toUpperCase().replaceAll('-', '_'));
  const pattern = new RegExp(`<(?:${names.join('|')})_[1-9]\\d{0,8}>`, 'g');
  return {
    kind: typedKind,
    sign: /</,
    find: (text, from) =>
      [...text.slice(from).matchAll(pattern)].map(({ index, 0: match }) => ({
        start: from + index,
        end: from + index + match.length,
      })),
  };
}

function blocked(kind: string): ShallotError {
  return new ShallotError('redaction/BLOCKED', {
    message: `The text contains a value of the kind "${kind}", which the redaction plugin blocks. Remove it, or choose another action for ${kind}.`,
    plugin: 'redaction',
  });
}

const leaveNone = (): boolean => false;
