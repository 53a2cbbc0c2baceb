import { memoryStore } from './memory-store.ts';
import { testStore } from './testing/test-store.ts';

await testStore(() => ({ store: memoryStore() }));
