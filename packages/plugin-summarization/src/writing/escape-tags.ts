/** Tags that delimit texts in the writer's input and in the summary message. */
const tags = /<(?=\/?(?:conversation|earlier_summary|remains|summary)\b)/gi;

/** Escapes these tags in a text, so that it can neither close its element nor open another. */
export function escapeTags(text: string): string {
  return text.replaceAll(tags, '&lt;');
}
