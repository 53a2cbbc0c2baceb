/** A break that no test could notice because it changes nothing, with the proof. */
interface EquivalentBreak {
  readonly file: string;
  /** The changed line, without its indentation. */
  readonly broken: string;
  readonly proof: string;
}

/** Breaks that are not counted: another one is drawn in their place. */
export const equivalentBreaks: readonly EquivalentBreak[] = [
  {
    file: 'packages/core/src/files/file-lock.ts',
    broken: "const owner = nodeCrypto().randomBytes(9).toString('hex');",
    proof: 'An owner is compared only with owners, and nine random bytes are as unique as eight.',
  },
  {
    file: 'packages/core/src/sqlite/message-rows.ts',
    broken: 'const isNearStart = index < count / 3;',
    proof: 'A message is found from either end; the nearer one only takes less time.',
  },
  {
    file: 'packages/core/src/sessions/content/unique-ids.ts',
    broken: 'if (known === undefined) lookups.set(list, (known = { scans: 1, places: undefined }));',
    proof: 'The scan and the index find the same place; the index is only made one lookup earlier.',
  },
  {
    file: 'packages/core/src/base/json-schema/explodes.ts',
    broken: '1047,',
    proof:
      'No property of Unicode tells Ж (U+0416) from З (U+0417), and a pattern that names one of them adds both as neighbours.',
  },
];
