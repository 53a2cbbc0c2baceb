import { testPlugin } from '@shallot/core/testing';

import mcp from './index.ts';

await testPlugin(mcp, { manifest: new URL('../package.json', import.meta.url) });
