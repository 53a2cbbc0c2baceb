import { testStore } from '../testing/store/test-store.ts';
import { memoryStore } from './memory-store.ts';

await testStore(() => ({ store: memoryStore() }));
