import type { AssistantPart, Message } from '../../src/contract/messages.ts';
import type { ChatModel, ModelResponse } from '../../src/contract/model.ts';
import type { Life } from './life.ts';
import { answerPlan, answerText, usageOf, type Place } from './model/world.ts';

/**
 * Creates the model of a world. It finds its place in the course from the messages, and never gives the same answer
 * twice.
 */
export function modelOfWorld(life: Life): ChatModel {
  const { course } = life;
  const { world } = course;
  const hasLayers = world.plugins.some(({ taps }) => taps.some(({ hook }) => hook === 'wrapModelCall'));
  return {
    id: 'world/model',
    async generate({ messages }, { signal }): Promise<ModelResponse> {
      const place = placeOf(messages);
      life.begins('a model call');
      const asked = course.ask(place);
      await life.passModel();
      signal.throwIfAborted();
      course.given.push({ ...place, asked, fact: life.note('answer') });
      if (!hasLayers) course.answersLast(place, life.note('answer'));
      return answer(place, asked);
    },
  };

  function answer(place: Place, asked: number): ModelResponse {
    const calls = answerPlan(world, place, asked);
    const tokens = usageOf(place, asked);
    const content: AssistantPart[] = [
      { type: 'text', text: answerText(place, asked) },
      ...calls.map(({ tool }, call) => ({
        type: 'tool-call' as const,
        id: `r${place.run}s${place.step}n${asked}c${call}`,
        name: tool,
        input: { ...place, call, asked },
      })),
    ];
    return {
      message: { role: 'assistant', content },
      usage: { input: tokens, output: 0, total: tokens },
      finish: calls.length === 0 ? 'stop' : 'tool-calls',
    };
  }
}

/** Returns the run and the step that a history has reached: it counts the inputs, and the answers of the last run. */
function placeOf(messages: readonly Message[]): Place {
  const texts = messages.map(({ role, content }) => ({
    role,
    text: content[0]?.type === 'text' ? content[0].text : '',
  }));
  const run = texts.filter(({ role, text }) => role === 'user' && text.startsWith('input ')).length - 1;
  const answers = texts.filter(({ role, text }) => role === 'assistant' && text.startsWith(`r${run}s`));
  return { run, step: answers.length + 1 };
}
