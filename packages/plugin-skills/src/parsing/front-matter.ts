import { parseYaml, YamlProblem, type ParsedYaml } from './parse-yaml.ts';
import type { Position } from './position.ts';

/** The first line, and one that ends the front matter: three hyphens and nothing else. */
const opening = /^\uFEFF?---[ \t]*(?:\r\n?|\n)/;
const closing = /^---[ \t]*$/gm;

/**
 * Reads the front matter of a skill's file: YAML between lines of `---`, of which the first is the first line of the
 * file. Positions are those in the file.
 * @throws `YamlProblem` if there is no front matter, or it cannot be read
 */
export function readFrontMatter(text: string): ParsedYaml {
  const { yaml } = splitFrontMatter(text);
  try {
    const { fields, oddities } = parseYaml(yaml);
    return {
      fields: new Map(
        [...fields].map(([key, field]) => [
          key,
          { ...field, at: inFile(field.at), keyAt: inFile(field.keyAt) },
        ]),
      ),
      oddities: oddities.map(({ message, at }) => ({ message, at: inFile(at) })),
    };
  } catch (error) {
    if (!(error instanceof YamlProblem)) throw error;
    throw new YamlProblem(`its front matter is invalid: ${error.message}`, inFile(error.at));
  }
}

/** Returns the position in the file, whose second line is the first line of the YAML. */
function inFile({ line, column }: Position): Position {
  return { line: line + 1, column };
}

/**
 * Splits a file into its front matter and its body. Both have line feeds, whatever line endings the file has; the body is
 * trimmed, and made only when `body` is called. @throws `YamlProblem` if the front matter is missing or not closed
 */
export function splitFrontMatter(text: string): { readonly yaml: string; readonly body: () => string } {
  const start = opening.exec(text)?.[0].length;
  if (start === undefined) throw new YamlProblem(whyNotOpened(text), { line: 1, column: 1 });
  closing.lastIndex = start;
  const end = closing.exec(text);
  if (end === null) {
    throw new YamlProblem('its front matter is not closed: a line "---" is missing', { line: 1, column: 1 });
  }
  return {
    yaml: withLineFeeds(text.slice(start, end.index)),
    body: () => withLineFeeds(text.slice(end.index + end[0].length)).trim(),
  };
}

function whyNotOpened(text: string): string {
  const language = /^\uFEFF?---[ \t]*([\w+-]{1,20})[ \t]*$/m.exec(text.slice(0, 100))?.[1];
  if (language === undefined || !/^\uFEFF?---/.test(text)) {
    return 'it does not start with front matter: its first line must be "---"';
  }
  return `its front matter is marked as "${language}"; only YAML between lines of "---" is read; front matter is never executed`;
}

function withLineFeeds(text: string): string {
  return text.includes('\r') ? text.replaceAll(/\r\n?/g, '\n') : text;
}
