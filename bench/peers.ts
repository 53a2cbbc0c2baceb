// `pnpm bench:peers`: measures the same runs in Shallot and in other agent runtimes.
import { writeFileSync } from 'node:fs';

import { type Case, cases } from './cases.ts';
import { createProfiling } from './hot-spots.ts';
import { installDependencies } from './install.ts';
import { ProcessFailure } from './node-process.ts';
import { type Options, readOptions, usage } from './options.ts';
import { layPublishedPackages } from './published-packages.ts';
import { Results } from './results.ts';
import type { SubjectName } from './subjects.ts';
import { caseTable, peersNotAbove } from './table.ts';

const options = readOptions(process.argv.slice(2));
if (options === 'help') console.log(usage);
else if (options === 'list') listCases();
else process.exitCode = await measureAll(options);

async function measureAll(options: Options): Promise<number> {
  const chosen = chooseCases(options);
  if (chosen.length === 0) throw new Error('no case has this id and subject: see --list');
  installDependencies();
  layPublishedPackages();

  const results = new Results();
  let broken = false;
  for (const { measured, subjects } of chosen) {
    broken = (await measureCase(measured, subjects, options, results)) || broken;
    console.log(`${caseTable(measured, subjects, results)}\n`);
  }
  console.log(
    peersNotAbove(
      chosen.map(({ measured }) => measured),
      results,
    ),
  );
  if (options.json !== undefined) {
    writeFileSync(options.json, `${JSON.stringify({ node: process.version, results }, undefined, 2)}\n`);
  }
  return broken ? 1 : 0;
}

/** Measures all subjects in turn, in each round. Returns true if a subject failed; being too slow is not a failure. */
async function measureCase(
  measured: Case,
  subjects: readonly SubjectName[],
  { rounds, effort, profile }: Options,
  results: Results,
): Promise<boolean> {
  let broken = false;
  for (let round = 0; round < (measured.slow ? 1 : rounds); round += 1) {
    for (const subject of subjects) {
      if (results.failure(measured.id, subject) !== undefined) continue;
      const profiling = profile ? createProfiling() : undefined;
      try {
        results.add(measured.id, subject, await measured.measure(subject, effort, profiling?.nodeArgs ?? []));
        if (profiling) console.log(`${measured.id}, ${subject}\n${profiling.hotSpots()}\n`);
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        results.fail(measured.id, subject, reason);
        if (error instanceof ProcessFailure && error.timedOut) continue;
        broken = true;
        console.error(`${measured.id}, ${subject}: ${reason}`);
      } finally {
        profiling?.remove();
      }
    }
  }
  return broken;
}

function chooseCases(options: Options): { measured: Case; subjects: readonly SubjectName[] }[] {
  return cases
    .filter((measured) => (options.cases.length > 0 ? isNamed(measured) : !(measured.slow && options.quick)))
    .map((measured) => ({ measured, subjects: measured.subjects.filter(isChosen) }))
    .filter(({ subjects }) => subjects.length > 0);

  function isNamed({ id }: Case): boolean {
    return options.cases.some((name) =>
      cases.some((other) => other.id === name) ? id === name : id.startsWith(name),
    );
  }

  function isChosen(subject: SubjectName): boolean {
    return options.subjects.length === 0 || options.subjects.includes(subject);
  }
}

function listCases(): void {
  for (const { id, title, subjects } of cases) console.log(`${id}\n  ${title}\n  ${subjects.join(', ')}`);
}
