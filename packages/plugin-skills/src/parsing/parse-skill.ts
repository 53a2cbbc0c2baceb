import { parseAllowedTools, type ToolPattern } from './allowed-tools.ts';
import { readFrontMatter } from './front-matter.ts';
import { YamlProblem, type Field, type ParsedYaml, type YamlValue } from './parse-yaml.ts';

/** The front matter of a skill. */
export interface SkillFacts {
  readonly name: string;
  readonly description: string;
  readonly license?: string;
  readonly compatibility?: string;
  /** Scalars are strings, as written. */
  readonly metadata?: YamlValue;
  /** Tool calls that need no approval by the skill's declaration; they count only if the operator allows it. */
  readonly allowedTools: readonly ToolPattern[];
  /** True if only a person may call it: `disable-model-invocation: true`. */
  readonly userOnly?: boolean;
}

/** A skill with its oddities, or the reason why a file is not one. */
export type ParsedSkill =
  | { readonly facts: SkillFacts; readonly oddities: readonly string[] }
  | { readonly reason: string };

/** The limits of the standard; longer names are reported and accepted. */
export const maxNameLength = 64;
export const maxDescriptionLength = 1024;

/**
 * Parses a skill's file leniently: any file with a description is a skill. `directory` is the name of its directory.
 */
export function parseSkill(text: string, directory: string): ParsedSkill {
  let file: ParsedYaml;
  try {
    file = readFrontMatter(text);
  } catch (error) {
    if (!(error instanceof YamlProblem)) throw error;
    const { line, column } = error.at;
    return { reason: `${error.message} (line ${line}, column ${column})` };
  }
  const { fields } = file;
  const description = fieldText(fields.get('description'));
  if (description === '') return { reason: 'its description is missing' };
  const written = fieldText(fields.get('name')).replaceAll(/\s+/g, ' ');
  const name = written === '' ? directory : written;
  const oddities = [
    ...file.oddities.map(({ message, at }) => `${message} (line ${at.line}, column ${at.column})`),
    ...oddName(written, directory),
  ];
  if (description.length > maxDescriptionLength) {
    oddities.push(
      `the description has ${description.length} characters; more than ${maxDescriptionLength} are cut off`,
    );
  }
  return { facts: { name, description, ...optionalFacts(file), allowedTools: allowedTools(file) }, oddities };
}

function oddName(name: string, directory: string): string[] {
  if (name === '') return [`its name is missing; the name of its directory is used, "${directory}"`];
  return [
    ...(name.normalize('NFKC') === directory.normalize('NFKC')
      ? []
      : [`it is named "${name.slice(0, 100)}", but its directory is "${directory}"`]),
    ...(name.length > maxNameLength
      ? [`its name has ${name.length} characters; the standard allows ${maxNameLength}`]
      : []),
  ];
}

function optionalFacts({
  fields,
}: ParsedYaml): Pick<SkillFacts, 'license' | 'compatibility' | 'metadata' | 'userOnly'> {
  const license = fieldText(fields.get('license'));
  const compatibility = fieldText(fields.get('compatibility'));
  const metadata = fields.get('metadata')?.value;
  const userOnly = fieldText(fields.get('disable-model-invocation')) === 'true';
  return {
    ...(license === '' ? {} : { license }),
    ...(compatibility === '' ? {} : { compatibility }),
    ...(metadata === undefined ? {} : { metadata }),
    ...(userOnly ? { userOnly } : {}),
  };
}

function allowedTools({ fields }: ParsedYaml): readonly ToolPattern[] {
  return parseAllowedTools(fields.get('allowed-tools')?.value);
}

/**
 * Returns the text of a field. A list or a map in place of text, such as `{{name}}`, is taken as it is written. Empty
 * without the field.
 */
function fieldText(field: Field | undefined): string {
  if (field === undefined) return '';
  return (typeof field.value === 'string' ? field.value : field.source).trim();
}
