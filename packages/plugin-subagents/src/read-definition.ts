import { readFrontMatter, type Fault, type FrontMatter, type Position } from './front-matter.ts';
import type { Definition } from './options.ts';

/** The text of a definition, as far as it can be read. */
export interface ReadDefinition {
  /** Undefined if there are faults. */
  readonly definition: Definition | undefined;
  readonly ignored: readonly { readonly key: string; readonly at: Position }[];
  readonly faults: readonly Fault[];
  /** Returns the place of the value of a key; without such a key, that of the front matter. */
  readonly valueAt: FrontMatter['valueAt'];
}

/** The keys that a file may have. It gives no tools beyond those of the parent, so `grants` is ignored like any other. */
export const definitionKeys = ['name', 'description', 'model', 'tools', 'maxSteps'] as const;

const nameForm = /^[A-Za-z0-9_-]{1,64}$/;

/** Reads a Markdown file: front matter with the keys of a definition, and instructions below. */
export function readDefinition(text: string): ReadDefinition {
  const front = readFrontMatter(text);
  if ('message' in front) {
    const { line, column } = front;
    return { definition: undefined, ignored: [], faults: [front], valueAt: () => ({ line, column }) };
  }
  const { fields, body, keyAt, valueAt } = front;
  const faults: Fault[] = [];
  const refuse = (key: string, message: string): undefined =>
    void faults.push({ ...valueAt(key), message: `its ${key} ${message}` });
  const name = nameOf(fields['name'], refuse);
  const description = descriptionOf(fields['description'], refuse);
  const model = modelOf(fields['model'], refuse);
  const tools = toolsOf(fields['tools'], refuse);
  const maxSteps = stepsOf(fields['maxSteps'], refuse);
  const isWhole = name !== undefined && description !== undefined && faults.length === 0;
  return {
    definition: isWhole
      ? {
          name,
          description,
          ...(body === '' ? {} : { instructions: body }),
          ...(model === undefined ? {} : { model }),
          ...(tools === undefined ? {} : { tools }),
          ...(maxSteps === undefined ? {} : { maxSteps }),
        }
      : undefined,
    ignored: Object.keys(fields)
      .filter((key) => !definitionKeys.some((known) => known === key))
      .map((key) => ({ key, at: keyAt(key) })),
    faults,
    valueAt,
  };
}

/** Notes why the value of a key cannot be used. */
type Refuse = (key: string, message: string) => undefined;

function nameOf(name: unknown, refuse: Refuse): string | undefined {
  if (typeof name === 'string' && nameForm.test(name)) return name;
  return refuse('name', `is ${show(name)}; write 1 to 64 letters, digits, "_" and "-"`);
}

function descriptionOf(description: unknown, refuse: Refuse): string | undefined {
  if (typeof description === 'string' && description.trim() !== '') return description.trim();
  return refuse('description', 'is missing; write when to delegate to the agent');
}

function modelOf(model: unknown, refuse: Refuse): string | undefined {
  // The words for the parent's model.
  if (model === undefined || model === null || model === 'inherit') return undefined;
  if (typeof model === 'string' && model.trim() !== '') return model.trim();
  return refuse('model', `is ${show(model)}; write a name such as provider/model`);
}

/** Returns a list, which may be written as one string with commas. */
function toolsOf(tools: unknown, refuse: Refuse): readonly string[] | undefined {
  if (tools === undefined || tools === null) return undefined;
  const list: unknown = typeof tools === 'string' ? tools.split(',') : tools;
  const isTexts = (value: unknown): value is readonly string[] =>
    Array.isArray(value) && value.every((each) => typeof each === 'string');
  if (!isTexts(list)) return refuse('tools', `are ${show(tools)}; write a list of names or patterns`);
  return list.map((each) => each.trim()).filter((each) => each !== '');
}

function stepsOf(steps: unknown, refuse: Refuse): number | undefined {
  if (steps === undefined) return undefined;
  const number = Number(steps);
  if (Number.isInteger(number) && number >= 1) return number;
  return refuse('maxSteps', `is ${show(steps)}; write an integer from 1`);
}

function show(value: unknown): string {
  return value === undefined ? 'missing' : JSON.stringify(value).slice(0, 80);
}
