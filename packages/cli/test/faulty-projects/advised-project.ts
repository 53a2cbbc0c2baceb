import type { FaultyProject, Obedience } from './faulty-project.ts';

/** A faulty project whose report says how to mend it. The project is healthy once that is done. */
export interface AdvisedProject extends FaultyProject {
  readonly stdin?: string;
}

/** Marks the place of the fault in a config. It is removed before the config is written. */
const mark = '«';

const yaml = 'shallot.config.yaml';

type Told = Omit<AdvisedProject, 'fault' | 'files' | 'at'> & {
  readonly files?: Readonly<Record<string, string>>;
  readonly at?: string;
};

/**
 * Returns a project with this config. A mark in the text stands before the fault. A config without a model gets the
 * offline model. Without other arguments, the command is `shallot doctor`.
 */
export function advised(fault: string, text: string, told: Told): AdvisedProject {
  const whole = /^«?model:/m.test(text) ? text : `model: offline\n${text}`;
  const before = whole.slice(0, Math.max(whole.indexOf(mark), 0));
  const lines = before.split('\n');
  const place = `${yaml}:${lines.length}:${(lines.at(-1)?.length ?? 0) + 1}`;
  const { files, args = ['doctor'], at = whole.includes(mark) ? place : undefined, ...others } = told;
  return {
    fault,
    ...others,
    args,
    ...(at !== undefined && { at }),
    files: { ...files, [yaml]: whole.replace(mark, '') },
  };
}

/** Mends a project: replaces the whole config. */
export function rewritten(text: string): Obedience {
  return { files: { [yaml]: /^model:/m.test(text) ? text : `model: offline\n${text}` } };
}
