import { expect, it } from 'vitest';

import { checkRules } from './check-rules.ts';
import { refusalOf } from './strict-vendors.ts';

checkRules('small');

it('a path that belongs to no vendor takes anything', () => {
  expect(refusalOf('/v2/chat', '{"messages":[]}')).toBeUndefined();
});
