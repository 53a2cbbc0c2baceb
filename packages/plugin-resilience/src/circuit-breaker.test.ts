import { defineTool, ShallotError } from '@shallot/core';
import { describe, expect, it } from 'vitest';

import { agentWith, failing, warningsOf } from '../test/agent.ts';
import { Circuit } from './circuit.ts';
import { circuitBreaker } from './index.ts';

describe('a circuit', () => {
  it('opens after some failures in a row, lets one call try, and closes when that works', () => {
    const circuit = new Circuit({ failures: 2, openMs: 100 });
    expect([circuit.enter(0), circuit.note(false, 0)]).toEqual([undefined, undefined]);
    expect([circuit.enter(1), circuit.note(true, 1)]).toEqual([undefined, undefined]);
    expect([circuit.enter(2), circuit.note(false, 2)]).toEqual([undefined, undefined]);
    expect([circuit.enter(3), circuit.note(false, 3)]).toEqual([undefined, 'opened']);
    expect(circuit.enter(50)).toBe(103);
    expect(circuit.enter(103)).toBeUndefined();
    expect(circuit.enter(104)).toBe(204);
    expect(circuit.note(false, 105)).toBeUndefined();
    expect(circuit.enter(150)).toBe(205);
    expect([circuit.enter(205), circuit.note(true, 206)]).toEqual([undefined, 'closed']);
    expect(circuit.enter(207)).toBeUndefined();
  });

  it('lets another call try when one that did was aborted', () => {
    const circuit = new Circuit({ failures: 1, openMs: 100 });
    circuit.enter(0);
    circuit.note(false, 0);
    expect(circuit.enter(100)).toBeUndefined();
    circuit.leave();
    expect(circuit.enter(101)).toBeUndefined();
  });
});

describe('a model or tool that keeps failing', () => {
  it('is not called for a while: the error is transient and says until when', async () => {
    const { agent, model } = await agentWith(
      [circuitBreaker({ failures: 2, openMs: 60_000 })],
      [failing(), failing(), { text: 'Never said.' }],
    );
    const fail = (): Promise<unknown> => agent.run('Hi').catch((error: unknown) => error);
    await fail();
    const before = Date.now();
    await fail();
    const open = await fail();
    expect(open).toMatchObject({ code: 'resilience/CIRCUIT_OPEN', transient: true });
    expect((open as ShallotError).retryAt).toBeGreaterThanOrEqual(before + 60_000);
    expect(model.calls).toBe(2);
  });

  it('is called again after that, and a warning says so', async () => {
    const steps = [failing(), { text: 'Hello.' }];
    const { agent } = await agentWith([circuitBreaker({ failures: 1, openMs: 1 })], steps);
    await agent.run('Hi').catch(() => {});
    const { promise, resolve } = Promise.withResolvers<void>();
    setTimeout(resolve, 5);
    await promise;
    expect(await warningsOf(agent)).toEqual({ warnings: ['circuit-breaker/CIRCUIT_CLOSED'], text: 'Hello.' });
  });

  it('gives the model of the run an error result, if it is a tool', async () => {
    let executed = 0;
    const shop = defineTool({
      name: 'shop',
      description: 'Sells.',
      input: { type: 'object' },
      execute() {
        executed += 1;
        throw new ShallotError('shop/BUSY', { message: 'busy', transient: true });
      },
    });
    const call = { toolCalls: [{ name: 'shop' }] };
    const { agent } = await agentWith(
      [circuitBreaker({ failures: 2 })],
      [call, call, call, { text: 'Done.' }],
      {
        tools: [shop],
      },
    );
    expect(await warningsOf(agent)).toEqual({ warnings: ['circuit-breaker/CIRCUIT_OPENED'], text: 'Done.' });
    expect(executed).toBe(2);
  });
});
