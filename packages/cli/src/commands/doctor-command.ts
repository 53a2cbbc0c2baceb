import { resolve } from 'node:path';

import { diagnose, type DiagnosedPlugin, type Diagnosis } from '@shallot/core/command';

import { configLoading, type AgentCommandOptions } from '../asking/config-loading.ts';
import { checkProject } from '../doctor/check-project.ts';
import { byCause, findingsOf } from '../doctor/finding.ts';
import { renderCheckup, type Checkup } from '../doctor/render-checkup.ts';
import { projectAround } from '../project/find-project.ts';
import { toJson } from '../rendering/render-json.ts';
import { exitStatus } from '../terminal/exit-status.ts';
import type { Screen } from '../terminal/screen.ts';

export interface DoctorCommandOptions extends AgentCommandOptions {
  readonly json?: boolean;
}

/**
 * `shallot doctor`: reports every problem in a project, continuing after failures. Returns 0 without findings, 1 for
 * warnings only, 2 for errors.
 */
export async function doctorCommand(options: DoctorCommandOptions, screen: Screen): Promise<number> {
  const { cwd } = screen.io;
  const { config } = options;
  const loading = configLoading(options, screen);
  const diagnosis = await screen.uncaught.orFirst(() =>
    diagnose({ ...loading, ...(config !== undefined && { path: resolve(cwd, config) }) }),
  );
  const checkup = await checkUp(diagnosis);
  await screen.line(
    options.json ? toJson(screen.redactor.value(checkup), { indent: 2 }) : renderCheckup(checkup, screen),
  );
  const { findings } = checkup;
  if (findings.some(({ level }) => level === 'error')) return exitStatus.usage;
  return findings.some(({ level }) => level === 'warning') ? exitStatus.failed : exitStatus.completed;
}

async function checkUp(diagnosis: Diagnosis): Promise<Checkup> {
  const { path, errors, warnings, plugins } = diagnosis;
  const ofProject = path === undefined ? [] : checkProject(projectAround(path), diagnosis);
  const findings = [
    ...errors.flatMap((error) => findingsOf('error', error)),
    ...warnings.flatMap((warning) => findingsOf('warning', warning)),
    ...ofProject,
  ];
  return {
    config: path ?? null,
    node: process.versions.node,
    plugins: plugins.map(stateOf),
    findings: findings.toSorted(byCause),
  };
}

function stateOf({ name, stage, package: found, startMs }: DiagnosedPlugin): Checkup['plugins'][number] {
  const version = found?.manifest.version;
  return {
    name,
    stage,
    package: found?.name,
    version: typeof version === 'string' ? version : undefined,
    startMs: startMs === undefined ? undefined : Math.round(startMs),
  };
}
