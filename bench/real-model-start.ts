// Runs in its own process: `node real-model-start.ts floor|shallot`. It ends with the first request, which is not sent.
import type { createOpenAI } from '@ai-sdk/openai';

import { cpuMicros } from './measures/samples.ts';

type Settings = NonNullable<Parameters<typeof createOpenAI>[0]>;

const settings: Settings = { apiKey: 'none', fetch: report };
await (process.argv[2] === 'floor' ? byHand() : withShallot());

/** Makes the same request with the provider's package alone. */
async function byHand(): Promise<void> {
  const { createOpenAI: create } = await import('@ai-sdk/openai');
  const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hello' }] }];
  await create(settings).chat('gpt-5').doGenerate({ prompt });
}

async function withShallot(): Promise<void> {
  const [{ createOpenAI: create }, { createAgent }, { aiSdkModel }] = await Promise.all([
    import('@ai-sdk/openai'),
    import('@shallot/core'),
    import('@shallot/model-ai-sdk'),
  ]);
  const agent = await createAgent({ model: aiSdkModel(create(settings).chat('gpt-5')) });
  await agent.run('Hello');
}

/** Both clocks count from the start of the process. */
function report(): Promise<Response> {
  const figures = { wallMs: performance.now(), cpuMs: cpuMicros() / 1000 };
  process.stdout.write(`\n${JSON.stringify(figures)}\n`, () => process.exit(0));
  return new Promise(() => {});
}
