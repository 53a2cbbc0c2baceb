import { testPlugin } from '@shallot/core/testing';

import skills from './index.ts';

await testPlugin(skills, {
  secondOptions: { toolName: 'other_skill' },
  manifest: new URL('../package.json', import.meta.url),
});
