/** The elements that texts are put into: in the writer's input, and in the message that stands for others. */
const tags = /<(?=\/?(?:conversation|earlier_summary|remains|summary)\b)/gi;

/** Text that can neither end the element that it stands in nor begin another of ours; everything else stays as it is. */
export function escapeTags(text: string): string {
  return text.replaceAll(tags, '&lt;');
}
