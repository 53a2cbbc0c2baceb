import type { ToolCall } from '@shallot/core';
import type { ToolScope, Decision, ApprovalRequest } from '@shallot/core/plugin';

import { checkDecision } from './decision.ts';
import type { Ask } from './options.ts';
import type { AlwaysForCall } from './permissions/always.ts';

/** The place of a question, and how its answer may be kept. */
export interface Asking {
  readonly scope: ToolScope;
  readonly always: AlwaysForCall | undefined;
}

/**
 * Asks through a function of the application. @throws if it does not return an offered decision in time, and the reason of
 * an abort
 */
export async function askInProcess(
  ask: Ask,
  timeoutMs: number,
  request: ApprovalRequest,
  call: ToolCall,
  { scope, always }: Asking,
): Promise<Decision> {
  const given = new AbortController();
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new Error(`no answer arrived within ${timeoutMs} ms`)),
    timeoutMs,
  );
  const abort = (): void => late.reject(scope.signal.reason);
  scope.signal.addEventListener('abort', abort);
  try {
    const signal = AbortSignal.any([scope.signal, given.signal]);
    const { display } = scope;
    const shown = {
      ...request,
      call,
      ...(display === undefined ? {} : { display }),
      ...(always === undefined ? {} : { always: always.details }),
    };
    const asked = scope.asking(() => ask(shown, { run: scope.run, signal }));
    const checked = await checkDecision(await Promise.race([asked, late.promise]), request.decisions, call, {
      check: scope.check,
      always,
    });
    if ('problem' in checked) throw new Error(checked.problem);
    return checked.decision;
  } finally {
    clearTimeout(timer);
    scope.signal.removeEventListener('abort', abort);
    // Tells the callback to stop asking.
    given.abort();
  }
}
