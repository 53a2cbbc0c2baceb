/** The most characters of a title made of a message. */
const maxLength = 60;

/** Returns the first words of a text as a title; undefined if there are none. */
export function titleOf(text: string): string | undefined {
  const words = text
    .slice(0, maxLength * 10)
    .replaceAll(/[\p{Cc}\p{Cs}\s]+/gu, ' ')
    .trim();
  const characters = Array.from(words);
  if (characters.length <= maxLength) return words === '' ? undefined : words;
  const [first = ''] = /^.{20,}(?= )/u.exec(characters.slice(0, maxLength).join('')) ?? [];
  return `${(first === '' ? characters.slice(0, maxLength - 1).join('') : first).trimEnd()}…`;
}
