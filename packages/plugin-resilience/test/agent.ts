import { createAgent, type Agent, type AgentOptions, type ErrorCode, type Plugin } from '@shallot/core';
import { modelError, type ModelErrorCode } from '@shallot/core/model';
import { scriptedModel, type ScriptedModel, type ScriptedStep } from '@shallot/testing';

/** Delays that do not slow a test down. */
export const soon = { firstDelayMs: 1, maxDelayMs: 1 } as const;

export function failing(code: ModelErrorCode = 'MODEL_OVERLOADED', retryAt?: number): ScriptedStep {
  return { error: modelError(code, { message: `It failed with ${code}.`, retryAt }) };
}

interface TestAgent {
  readonly agent: Agent;
  readonly model: ScriptedModel;
}

export async function agentWith(
  plugins: readonly Plugin[],
  steps: readonly ScriptedStep[],
  rest: Partial<AgentOptions> = {},
): Promise<TestAgent> {
  const model = scriptedModel(steps);
  return { agent: await createAgent({ model, log: 'silent', ...rest, plugins }), model };
}

/** Returns the codes of a run's warnings, and the text of its answer. */
export async function warningsOf(
  agent: Agent,
): Promise<{ readonly warnings: ErrorCode[]; readonly text: string }> {
  const stream = agent.stream('Go');
  const warnings: ErrorCode[] = [];
  for await (const event of stream) if (event.type === 'warning') warnings.push(event.code as ErrorCode);
  return { warnings, text: (await stream.result).text };
}
