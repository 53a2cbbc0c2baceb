// Runs a copy of the JSON-Schema-Test-Suite against the validation of tool arguments: node scripts/schema-suite.ts
// FOLDER
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

import { readSchema } from '../packages/core/src/base/json-schema/read-schema.ts';
import type { JsonObject, JsonValue } from '../packages/core/src/base/json.ts';
import { validatorOf } from '../packages/core/src/base/schema.ts';

/** The percentage of tests that must pass, by draft. */
const wanted = { 'draft2020-12': 98, draft7: 99 } as const;

interface Group {
  readonly description: string;
  readonly schema: JsonValue;
  readonly tests: readonly {
    readonly description: string;
    readonly data: JsonValue;
    readonly valid: boolean;
  }[];
}

interface Score {
  right: number;
  left: number;
  readonly wrong: string[];
}

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  console.error('Say where a copy of the JSON-Schema-Test-Suite is: node scripts/schema-suite.ts FOLDER');
  process.exit(2);
}
let isEnough = true;
for (const [draft, percent] of Object.entries(wanted)) {
  const directory = findDirectory(folder, draft);
  if (directory === undefined) {
    console.error(`There is no folder ${draft} in ${folder}.`);
    process.exit(2);
  }
  const { right, left, wrong } = await scoreOf(directory, draft);
  const share = (100 * right) / (right + wrong.length);
  console.log(
    `${draft}: ${right} of ${right + wrong.length} (${share.toFixed(1)} %), ${left} with remote references or asserted formats left out`,
  );
  for (const name of wrong) console.log(`  ${name}`);
  isEnough &&= share >= percent;
}
process.exitCode = isEnough ? 0 : 1;

/** Runs the required tests of a draft, which are in the folder itself. The optional ones are in a subfolder. */
async function scoreOf(directory: string, draft: string): Promise<Score> {
  const score: Score = { right: 0, left: 0, wrong: [] };
  for (const file of readdirSync(directory).filter((name) => name.endsWith('.json'))) {
    const groups = JSON.parse(readFileSync(join(directory, file), 'utf8')) as readonly Group[];
    for (const group of groups) await addGroup(score, group, { name: basename(file, '.json'), draft });
  }
  return score;
}

async function addGroup(
  score: Score,
  { schema, tests, description }: Group,
  { name, draft }: { readonly name: string; readonly draft: string },
): Promise<void> {
  if (isLeftOut(schema, name)) {
    score.left += tests.length;
    return;
  }
  for (const { data, valid, description: what } of tests) {
    const isRight = (await isValid(schema, draft, data)) === valid;
    if (isRight) score.right += 1;
    else score.wrong.push(`${name}: ${description}: ${what}`);
  }
}

/**
 * Returns true for tests of behaviour that differs on purpose: remote schemas are never fetched, and formats are
 * asserted, while these tests treat them as annotations.
 */
function isLeftOut(schema: JsonValue, name: string): boolean {
  if (name === 'format' || name === 'refRemote') return true;
  const text = JSON.stringify(schema);
  if (/"\$schema":"http:\/\/localhost/.test(text)) return true;
  const own = new Set([...text.matchAll(/"\$id":"([^"#]*)/g)].map(([, id]) => id));
  return [...text.matchAll(/"\$ref":"(https?:[^"#]*)/g)].some(([, target]) => !own.has(target));
}

async function isValid(schema: JsonValue, draft: string, data: JsonValue): Promise<boolean | string> {
  if (typeof schema === 'boolean') return schema;
  const given = schema as JsonObject;
  const named = draft === 'draft7' ? { $schema: 'http://json-schema.org/draft-07/schema#', ...given } : given;
  try {
    const { faults } = readSchema(named);
    if (faults.length > 0) return faults.join('; ');
    return (await validatorOf(named)(data)).ok;
  } catch (error) {
    return String(error);
  }
}

/**
 * Finds the folder with the tests of a draft; undefined if there is none. The copy may contain other folders of the same
 * name.
 */
function findDirectory(inside: string, draft: string): string | undefined {
  const found = readdirSync(inside, { recursive: true, encoding: 'utf8' })
    .map((path) => join(inside, path))
    .filter((path) => basename(path) === draft && statSync(path).isDirectory());
  return found.find((path) => basename(dirname(path)) === 'tests') ?? found[0];
}
