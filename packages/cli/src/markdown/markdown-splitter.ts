import type { MarkedToken, Tokens } from 'marked';

import { parseMarkdown } from './parse-markdown.ts';

/** A part of a Markdown text that later text cannot change. */
export type MarkdownPiece =
  | { readonly type: 'block'; readonly token: MarkedToken }
  /** An item of a list, with its number in a numbered list; `first` opens the list. */
  | {
      readonly type: 'item';
      readonly item: Tokens.ListItem;
      readonly number: number | undefined;
      readonly first: boolean;
    }
  | { readonly type: 'code-start'; readonly language: string }
  | { readonly type: 'code-line'; readonly text: string }
  /** Text too long to wait for its end. */
  | { readonly type: 'plain'; readonly text: string };

/** The limit for a block, in characters. It bounds the cost of hostile text, since parsing is slower than linear. */
const longestBlock = 4096;
/** The limit for a table, whose cells are parsed one by one. */
const longestTable = 4 * longestBlock;
/** Matches text that can only begin a paragraph. */
const beginsParagraph = /^(?:\p{L}|\d+(?![\d.)])|["'“‘„(¿¡]|\p{Extended_Pictographic}|\*{1,3}[\p{L}"])/u;
/** Matches deeply nested quotes and lists, which could overflow the stack of the recursive parser. */
const tooDeep = /^(?:[ \t]*(?:>|[-+*](?=\s)|\d{1,9}[.)](?=\s))){20}/;

/**
 * Splits streamed Markdown into blocks, items and code lines, each returned once it is complete. A chunk without a line end
 * is only buffered, unless the line grows too long.
 */
export class MarkdownSplitter {
  /** The unfinished line. */
  #line = '';
  /** Whole lines whose meaning may still change. */
  #block = '';
  /** Matches the end of the open code block. */
  #fence: RegExp | undefined;
  /** The list whose items were returned so far, while it may continue. */
  #list: { readonly next: number } | undefined;

  /** The current paragraph; undefined if there is none, or if it may become something else. */
  get paragraph(): string | undefined {
    if (this.#fence !== undefined) return undefined;
    const isSure = [this.#block, this.#line].every((text) => text === '' || beginsParagraph.test(text));
    const text = this.#block + this.#line;
    return isSure && text !== '' && !text.includes('|') ? text : undefined;
  }

  push(text: string): readonly MarkdownPiece[] {
    this.#line += text;
    if (!text.includes('\n')) return this.#line.length > longestBlock ? this.#giveUpLine() : [];
    const lines = this.#line.split('\n');
    this.#line = lines.pop() ?? '';
    return lines.flatMap((line) => this.#takeLine(line));
  }

  /** Returns the rest at the end of the text. */
  end(): readonly MarkdownPiece[] {
    const last = this.#line;
    this.#line = '';
    const pieces = [...(last === '' ? [] : this.#takeLine(last)), ...this.#takeBlock()];
    this.#fence = undefined;
    return pieces;
  }

  #takeLine(line: string): readonly MarkdownPiece[] {
    if (this.#fence !== undefined) {
      if (!this.#fence.test(line)) return [{ type: 'code-line', text: line }];
      this.#fence = undefined;
      return [];
    }
    const opened = this.#opensCode(line);
    if (opened !== undefined) {
      const before = this.#takeBlock();
      this.#fence = opened.close;
      return [...before, { type: 'code-start', language: opened.language }];
    }
    this.#block += `${line}\n`;
    const longest = this.#block.startsWith('|') && line.length < longestBlock ? longestTable : longestBlock;
    if (this.#block.length > longest || tooDeep.test(line)) return this.#giveUpBlock();
    if (this.#block.trim() === '') this.#block = '';
    return this.#takeComplete({ blank: line.trim() === '' });
  }

  /**
   * Returns the end and the language of a code block that a line opens. Code in a list item is part of the item, and
   * opens none.
   */
  #opensCode(line: string): { readonly close: RegExp; readonly language: string } | undefined {
    const [, indent = '', fence = '', language = ''] =
      /^( {0,3})(`{3,}(?=[^`]*$)|~{3,})\s*(\S*)/.exec(line) ?? [];
    const inItem = indent !== '' && /^ {0,3}([-+*]|\d+[.)])\s/.test(this.#block);
    if (fence === '' || inItem) return undefined;
    return { close: new RegExp(String.raw`^ {0,3}${fence.slice(0, 1)}{${fence.length},}\s*$`), language };
  }

  /** Returns the complete pieces, and keeps the rest. */
  #takeComplete({ blank }: { readonly blank: boolean }): readonly MarkdownPiece[] {
    if (this.#block === '') return [];
    const tokens = parseMarkdown(this.#block).filter(({ type }) => type !== 'space');
    const last = tokens.pop();
    const pieces = tokens.flatMap((token) => this.#give(token));
    if (last === undefined) return pieces;
    if (isComplete(last, blank)) {
      this.#block = '';
      return [...pieces, ...this.#give(last)];
    }
    this.#block = last.raw.endsWith('\n') ? last.raw : `${last.raw}\n`;
    if (blank && !this.#block.endsWith('\n\n')) this.#block += '\n';
    return last.type === 'list' ? [...pieces, ...this.#giveItems(last)] : pieces;
  }

  /** Returns all items but the last, which may continue. */
  #giveItems(list: Tokens.List): readonly MarkdownPiece[] {
    const { items } = list;
    const last = items.at(-1);
    if (last === undefined || items.length === 1) return [];
    const trailing = /\n*$/.exec(this.#block)?.[0] ?? '';
    this.#block = `${last.raw.trimEnd()}${trailing}`;
    return this.#itemsOf(list, items.slice(0, -1));
  }

  #takeBlock(): readonly MarkdownPiece[] {
    const tokens = parseMarkdown(this.#block);
    this.#block = '';
    const pieces = tokens.flatMap((token) => this.#give(token));
    this.#list = undefined;
    return pieces;
  }

  #give(token: MarkedToken): readonly MarkdownPiece[] {
    if (token.type === 'space') return [];
    if (token.type !== 'list') {
      this.#list = undefined;
      return [{ type: 'block', token }];
    }
    const pieces = this.#itemsOf(token, token.items);
    this.#list = undefined;
    return pieces;
  }

  #itemsOf({ ordered, start }: Tokens.List, items: readonly Tokens.ListItem[]): readonly MarkdownPiece[] {
    const goesOn = this.#list !== undefined;
    const from = this.#list?.next ?? (typeof start === 'number' ? start : 1);
    this.#list = { next: from + items.length };
    return items.map((item, index) => ({
      type: 'item',
      item,
      number: ordered ? from + index : undefined,
      first: !goesOn && index === 0,
    }));
  }

  #giveUpLine(): readonly MarkdownPiece[] {
    const line = this.#line;
    // Keeps words whole, unless there are none.
    const space = this.#fence === undefined ? line.search(/\s\S*$/) : -1;
    const end = space > 0 ? space + 1 : line.length;
    const text = line.slice(0, end);
    this.#line = '';
    if (this.#fence !== undefined) return [{ type: 'code-line', text }];
    this.#block += text;
    const pieces = this.#giveUpBlock();
    this.#line = line.slice(end);
    return pieces;
  }

  /**
   * Gives up on an overlong block: its text is shown unformatted, except for the part that may already be shown as a
   * paragraph.
   */
  #giveUpBlock(): readonly MarkdownPiece[] {
    const text = this.#block;
    const end = this.paragraph === undefined ? 0 : text.slice(0, longestBlock).search(/\s\S*$/) + 1;
    this.#block = text.slice(0, end);
    const pieces = this.#takeBlock();
    const rest = text.slice(end).trimEnd();
    return rest === '' ? pieces : [...pieces, { type: 'plain', text: rest }];
  }
}

/** Returns true if the last block is complete; `blank` is true if a blank line follows. */
function isComplete({ type }: MarkedToken, blank: boolean): boolean {
  if (type === 'heading' || type === 'hr') return true;
  return blank && (type === 'paragraph' || type === 'table' || type === 'blockquote' || type === 'def');
}
