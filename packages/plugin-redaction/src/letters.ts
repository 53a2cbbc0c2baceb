/**
 * Letters of scripts that use spaces, for a character class: a match cannot begin or end next to one. In Chinese and
 * Japanese, matches can be adjacent to letters.
 */
export const letters = String.raw`\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}`;
