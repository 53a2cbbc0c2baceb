import type { RunInfo } from '../../src/contract/run-info.ts';
import type { Life } from './life.ts';
import type { Act, TapPlan } from './model/world.ts';

/** The functions with which the taps of one plugin perform their acts. */
export interface Actor {
  readonly life: Life;
  /** The function of a `once`: adds one to the plugin's count. */
  readonly count: (run: RunInfo) => null;
  /** Throws the first time that it is called for an act. */
  readonly fail: (act: Act) => void;
  /** Waits before an act of a slow tap. */
  readonly pause: (tap: TapPlan) => Promise<void> | undefined;
}

export function actsOn(life: Life, plugin: string, add: (run: RunInfo) => void): Actor {
  const { course } = life;
  return {
    life,
    count(run) {
      life.begins(`once of ${plugin}`);
      add(run);
      return null;
    },
    fail({ id, what }) {
      if (!course.isToThrow(id)) return;
      course.happened(what);
      life.isStruck = true;
      throw new Error(id);
    },
    pause: (tap) => (tap.pace === 'slow' ? life.pass('tap') : undefined),
  };
}

/** Returns the question that an act asks. */
export function question(id: string): { kind: string; payload: string; answer: { type: string } } {
  return { kind: 'question', payload: id, answer: { type: 'string' } };
}
