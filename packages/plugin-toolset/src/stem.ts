/** Endings of English words, longest first. */
const ending = /(?:ations?|ments?|ings?|ers?|ions?|ies|ied|ed|es|s|y)$/;

/** Returns the stem of an English word: `merg` for `merge`, `merged` and `merging`. */
export function stem(word: string): string {
  if (word.length <= 3) return word;
  const short = word.replace(ending, '');
  const kept = short.length >= 3 ? short : word;
  // Makes the stems of `planning` and `plan` equal, and those of `file` and `files`.
  return kept.replace(/([b-df-hj-np-rtv-z])\1$/, '$1').replace(/(?<=..)e$/, '');
}
