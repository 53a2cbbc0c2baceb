import { expect, it } from 'vitest';

import { convertSchema } from './convert-schema.ts';

it.each([[null], [undefined], ['string'], [7], [{}], [{ '~standard': { vendor: 'nobody' } }]])(
  'of %o no library is known',
  (schema) => expect(convertSchema(schema)).toBeUndefined(),
);
