import { expect, it } from 'vitest';

import { replaceHidden, visible } from './visible.ts';

it.each([
  ['plain text\n\tof ünïcode 漢字 🦉', 'plain text\n\tof ünïcode 漢字 🦉'],
  ['a\u0000b\r', 'a⟨U+0000⟩b⟨U+000D⟩'],
  ['a\u202Eb\u200Bc', 'a⟨U+202E⟩b⟨U+200B⟩c'],
  ['no-break\u00A0space', 'no-break⟨U+00A0⟩space'],
  ['\u{E0041}', '⟨U+E0041⟩'],
  ['⟨U+202E⟩ and ⟨text⟩', '⟨U+27E8⟩U+202E⟩ and ⟨text⟩'],
])('%j is shown as %j', (text, shown) => {
  expect(visible(text)).toBe(shown);
});

it('hidden characters are replaced by any text', () => {
  expect(replaceHidden('a b\n\u200Bc', () => '')).toBe('a b\nc');
});
