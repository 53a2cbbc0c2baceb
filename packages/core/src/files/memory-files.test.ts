import { testFiles } from '../testing/test-files.ts';
import { memoryFiles } from './memory-files.ts';

const maxBytes = 2_000_000;

await testFiles(() => memoryFiles({ maxBytes }), { maxBytes });
