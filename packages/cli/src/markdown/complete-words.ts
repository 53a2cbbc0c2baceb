const attempts = 24;

/**
 * Returns the beginning of a paragraph that later text cannot change: whole words without open emphasis, code or links.
 * Empty if there is none.
 */
export function completeWords(paragraph: string): string {
  let end = paragraph.length;
  for (let attempt = 0; attempt < attempts; attempt++) {
    end = paragraph.slice(0, end).search(/\s\S*$/);
    if (end <= 0) return '';
    const text = paragraph.slice(0, end);
    if (isClosed(text)) return text;
  }
  return '';
}

function isClosed(text: string): boolean {
  const isEven = (marks: RegExp): boolean => (text.match(marks) ?? []).length % 2 === 0;
  return (
    [/`/g, /\*/g, /~/g, /(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu].every(isEven) &&
    text.lastIndexOf('[') <= text.lastIndexOf(']') &&
    text.lastIndexOf('](') <= text.lastIndexOf(')') &&
    text.lastIndexOf('<') <= text.lastIndexOf('>')
  );
}
