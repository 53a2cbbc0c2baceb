import { handled } from '../base/handled.ts';
import type { ModelRequest, ModelResponse } from '../contract/model.ts';
import type { GenerateRequest } from '../contract/plugin.ts';
import type { Owner } from '../hooks/owner.ts';
import { ModelOnionCall } from '../run/model/model-call.ts';
import { completeMessages } from '../run/model/model-request.ts';
import type { RunParts } from '../run/run-parts.ts';
import { RunView } from '../run/run-view.ts';

/** Calls the model on behalf of a plugin: through the internal layers of other plugins, without streaming. */
export function generateFor(
  owner: Owner,
  view: unknown,
  request: GenerateRequest,
  options: Options,
): Promise<ModelResponse> {
  return handled(generate(owner, view, request, options));
}

interface Options {
  readonly purpose: string;
  readonly signal?: AbortSignal;
}

async function generate(
  owner: Owner,
  view: unknown,
  request: GenerateRequest,
  options: Options,
): Promise<ModelResponse> {
  const run = RunView.runOf(view);
  run.life.throwIfOver(owner.id, 'generate');
  const complete = completeRequest(run, owner, request);
  const work = run.signs.stretches.during({ plugin: owner.id }, () =>
    callInternal(run, owner, complete, options),
  );
  return run.life.hook.pauseFor(work);
}

function completeRequest(run: RunParts, owner: Owner, request: GenerateRequest): ModelRequest {
  return Object.freeze({
    model: run.terms.parts.model,
    instructions: '',
    settings: run.terms.model.settings,
    ...request,
    messages: completeMessages(run.record, request.messages, run.record.session.messages, owner.id),
  });
}

async function callInternal(
  run: RunParts,
  owner: Owner,
  request: ModelRequest,
  { purpose, signal }: { readonly purpose: string; readonly signal?: AbortSignal },
): Promise<ModelResponse> {
  const call = new ModelOnionCall(run, request, { plugin: owner.id, purpose });
  const frame = run.life.enter();
  const close = (): void => frame.close(signal?.reason);
  if (signal?.aborted === true) close();
  signal?.addEventListener('abort', close);
  try {
    return await frame.wait(run.terms.chains.internalFor(owner.id).call(request, call, frame, undefined));
  } finally {
    signal?.removeEventListener('abort', close);
    run.life.leave(frame);
  }
}
