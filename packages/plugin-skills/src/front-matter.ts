import { parseYaml, YamlProblem, type ParsedYaml, type Position } from './parse-yaml.ts';

/** A skill's file taken apart. Positions in it are those in the file. */
export interface SkillFile extends ParsedYaml {
  /** What follows the front matter: the skill's text. */
  readonly body: string;
}

/** A line of three hyphens, and nothing else. */
const fence = /^---[ \t]*$/;

/**
 * Takes a skill's file apart: YAML between lines of `---`, the first of them the file's first line, then the text.
 * @throws `YamlProblem` when there is no front matter, or it cannot be read
 */
export function readSkillFile(text: string): SkillFile {
  const { yaml, body } = splitFrontMatter(text);
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
      body,
    };
  } catch (error) {
    if (!(error instanceof YamlProblem)) throw error;
    throw new YamlProblem(`its front matter cannot be read: ${error.message}`, inFile(error.at));
  }
}

/** The first line of the front matter is the file's second. */
function inFile({ line, column }: Position): Position {
  return { line: line + 1, column };
}

/** Line feeds are what the result has, whatever the file has. */
export function splitFrontMatter(text: string): { readonly yaml: string; readonly body: string } {
  const start = { line: 1, column: 1 };
  const lines = text
    .replace(/^\uFEFF/, '')
    .replaceAll(/\r\n?/g, '\n')
    .split('\n');
  const [first = ''] = lines;
  if (!fence.test(first)) {
    const language = /^---[ \t]*([\w+-]{1,20})[ \t]*$/.exec(first)?.[1];
    throw new YamlProblem(
      language === undefined
        ? 'it does not begin with front matter: its first line must be "---"'
        : `its front matter is marked as "${language}"; only YAML between lines of "---" is read, and none of it is ever run`,
      start,
    );
  }
  const end = lines.findIndex((line, index) => index > 0 && fence.test(line));
  if (end === -1) throw new YamlProblem('its front matter is not closed: a line "---" is missing', start);
  return {
    yaml: lines.slice(1, end).join('\n'),
    body: lines
      .slice(end + 1)
      .join('\n')
      .trim(),
  };
}
