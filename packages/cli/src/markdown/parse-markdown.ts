import { Marked, type MarkedToken, type Token } from 'marked';

// An instance of its own: what others add to the package's shared one changes nothing here.
const marked = new Marked();

/** The blocks of a Markdown text. */
export function parseMarkdown(text: string): readonly MarkedToken[] {
  return known(marked.lexer(text));
}

/** The tokens inside of one. */
export function inside({
  tokens = [],
}: {
  readonly tokens?: readonly Token[] | undefined;
}): readonly MarkedToken[] {
  return known(tokens);
}

function known(tokens: readonly Token[]): readonly MarkedToken[] {
  // Only extensions bring tokens of other types, and there are none.
  return tokens as readonly MarkedToken[];
}
