/** A fenced block of a document. `line` is the number of its first line of code. */
export interface Fence {
  readonly language: string;
  readonly info: string;
  readonly code: string;
  readonly line: number;
  /**
   * The code in a comment `<!-- given: … -->` directly before the fence, which is checked with the fence but not shown.
   */
  readonly given: string;
}

/** A link or image of a document, with the number of its line. */
export interface Link {
  readonly target: string;
  readonly line: number;
}

/** The parts of a Markdown document that the checks use. */
export interface MarkdownDocument {
  readonly fences: readonly Fence[];
  readonly links: readonly Link[];
  /** The anchors of the headings, as GitHub makes them, and of `id` and `name` attributes. */
  readonly anchors: ReadonlySet<string>;
}

const fencePattern = /^(?<indent> *)(?<marks>`{3,}|~{3,})(?<info>.*)\n(?<code>(?:.*\n)*?) *\k<marks> *$/gm;
const givenPattern = /<!-- given:(?<code>(?:(?!-->)[\s\S])*)-->\s*$/;
const commentPattern = /<!--[\s\S]*?-->/g;

/**
 * Reads fences, links and anchors. It is not a full Markdown parser, but exact for the Markdown that the formatter
 * writes.
 */
export function readMarkdown(text: string): MarkdownDocument {
  const fences = [...text.matchAll(fencePattern)].map((match) => readFence(text, match));
  const prose = text.replace(fencePattern, blankOut).replace(commentPattern, blankOut);
  return { fences, links: readLinks(prose), anchors: readAnchors(prose) };
}

function readFence(text: string, match: RegExpExecArray): Fence {
  const { indent = '', info = '', code = '' } = match.groups ?? {};
  return {
    language: info.trim().split(/\s+/, 1)[0] ?? '',
    info: info.trim(),
    code: code.replace(new RegExp(`^ {0,${indent.length}}`, 'gm'), ''),
    line: lineAt(text, match.index) + 1,
    given: givenPattern.exec(text.slice(0, match.index))?.groups?.code?.trim() ?? '',
  };
}

function readLinks(prose: string): Link[] {
  const inline = /\]\((?<target>[^()\s]+)(?: "[^"]*")?\)/g;
  const reference = /^\[[^\]]+\]: *(?<target>\S+)/gm;
  const visible = prose.replace(/`[^`\n]*`/g, blankOut);
  return [...visible.matchAll(inline), ...visible.matchAll(reference)].map((match) => ({
    target: match.groups?.target ?? '',
    line: lineAt(prose, match.index),
  }));
}

function readAnchors(prose: string): Set<string> {
  const anchors = new Set([...prose.matchAll(/ (?:id|name)="([^"]+)"/g)].map(([, id = '']) => id));
  for (const [, heading = ''] of prose.matchAll(/^#{1,6} +(.+?) *#*$/gm)) {
    const slug = slugOf(heading);
    let anchor = slug;
    for (let repeat = 1; anchors.has(anchor); repeat++) anchor = `${slug}-${repeat}`;
    anchors.add(anchor);
  }
  return anchors;
}

function slugOf(heading: string): string {
  return heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
    .replaceAll(' ', '-');
}

function blankOut(text: string): string {
  return text.replace(/[^\n]/g, ' ');
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length;
}
