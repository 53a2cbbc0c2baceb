import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { expect, it } from 'vitest';

it('needs neither vitest nor fast-check before a suite is called', async () => {
  const code = `
    import { registerHooks } from 'node:module';
    registerHooks({
      resolve(name, context, next) {
        if (/^(vitest|fast-check)/.test(name)) throw new Error(name + ' was loaded');
        return next(name, context);
      },
    });
    const { scriptedModel, testModel } = await import(${JSON.stringify(new URL('index.ts', import.meta.url).href)});
    console.log(scriptedModel([]).id);
    await testModel(() => scriptedModel([]), { describe: (name) => console.log(name), it() {} });
  `;
  const node = promisify(execFile)(process.execPath, [
    '--no-warnings',
    '--input-type=module',
    '--eval',
    code,
  ]);
  await expect(node).resolves.toMatchObject({ stdout: 'test/scripted\na chat model\n' });
});
