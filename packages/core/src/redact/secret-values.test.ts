import { expect, it } from 'vitest';

import { secretsOf } from './secret-values.ts';

it('a value of eight characters is a secret, a shorter one is not', () => {
  expect(secretsOf({ API_KEY: '12345678', DB_PASSWORD: '1234567' })).toEqual(['12345678']);
});
