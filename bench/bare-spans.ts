import { type Attributes, context, SpanKind, trace } from '@opentelemetry/api';

import { countTool } from './script.ts';

interface Said {
  /** The attributes that a span gets when it begins. */
  readonly start: Attributes;
  readonly end: Attributes;
}

/**
 * Creates the spans of a run with two model calls and one tool call directly with the SDK, with the attributes that the
 * plugin sets. The time that the SDK needs for spans, their parents and contexts is not the plugin's own, so it is
 * measured for comparison.
 */
export async function makeBareSpans(session: string): Promise<void> {
  const conversation = { 'gen_ai.conversation.id': session };
  const agent = { 'gen_ai.agent.name': 'agent' };
  const tokens = { 'gen_ai.usage.input_tokens': 10, 'gen_ai.usage.output_tokens': 5 };
  const run: Said = {
    start: {
      'gen_ai.operation.name': 'invoke_agent',
      ...agent,
      ...conversation,
      'shallot.run.id': session,
    },
    end: { 'shallot.run.outcome': 'completed', 'shallot.run.stop_reason': 'answer', ...tokens },
  };
  const chat = (step: number, finish: string): Said => ({
    start: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'bench',
      'gen_ai.request.model': 'scripted',
      ...conversation,
      'shallot.step': step,
    },
    end: { 'gen_ai.response.finish_reasons': [finish], ...tokens },
  });
  const tool: Said = {
    start: {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': countTool.name,
      'gen_ai.tool.call.id': 'c1',
      'gen_ai.tool.type': 'function',
      'gen_ai.tool.description': countTool.description,
      ...conversation,
      ...agent,
      'shallot.step': 1,
    },
    end: {},
  };
  await within('invoke_agent agent', run, async () => {
    await within('chat scripted', chat(1, 'tool_call'), async () => {});
    await within(`execute_tool ${countTool.name}`, tool, async () => {});
    await within('chat scripted', chat(2, 'stop'), async () => {});
  });
}

async function within(name: string, { start, end }: Said, work: () => Promise<void>): Promise<void> {
  const around = context.active();
  const kind = name.startsWith('chat') ? SpanKind.CLIENT : SpanKind.INTERNAL;
  const span = trace.getTracer('bench').startSpan(name, { kind, attributes: start }, around);
  await context.with(trace.setSpan(around, span), work);
  span.setAttributes(end);
  span.end();
}
