/**
 * Letters of the scripts that are written with spaces, for a character class: beside one of them nothing begins or ends.
 * Letters of Chinese and Japanese stand right beside what is not a word of theirs.
 */
export const letters = String.raw`\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}`;
