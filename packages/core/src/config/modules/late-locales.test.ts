import { expect, test } from 'vitest';

import { lateLocales } from './late-locales.ts';

test('a list of languages becomes functions, and anything else stays what it is', () => {
  expect(lateLocales('export { default as de } from "./de.js";\n')).toContain(
    "export const de = () => localeIn('./de.cjs');",
  );
  expect(lateLocales('export { default as frCA } from "./fr-CA.js";')).toContain('./fr-CA.cjs');
  expect(lateLocales('export { default as de } from "./de.js";\nexport const more = 1;')).toBeUndefined();
});
