import { Marked, type MarkedToken, type Token } from 'marked';

// An instance of its own, because extensions of the shared one must have no effect here.
const marked = new Marked();

/** Returns the blocks of a Markdown text. */
export function parseMarkdown(text: string): readonly MarkedToken[] {
  return known(marked.lexer(text));
}

/** Returns the tokens inside a token. */
export function inside({
  tokens = [],
}: {
  readonly tokens?: readonly Token[] | undefined;
}): readonly MarkedToken[] {
  return known(tokens);
}

function known(tokens: readonly Token[]): readonly MarkedToken[] {
  // Only extensions add other token types, and there are none.
  return tokens as readonly MarkedToken[];
}
