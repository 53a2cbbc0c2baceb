import { createAgent } from '@shallot/core';
import { scriptedModel } from '@shallot/testing';
import { expect, it } from 'vitest';

import telemetry from './index.ts';

it('takes prices by model, or those of a package, and checks them', async () => {
  const model = scriptedModel([]);
  const fine = await createAgent({
    model,
    plugins: [telemetry({ prices: 'genai-prices', trace: 'unused.jsonl' })],
  });
  await fine.close();
  const wrong = createAgent({ model, plugins: [telemetry({ prices: { 'a/b': { input: -1 } } as never })] });
  await expect(wrong).rejects.toThrow(/prices\.a\/b\.input: it is -1.*prices\.a\/b\.output: it is missing/s);
});
