import type { StandardSchema } from '@lousho/core';

/** Takes whatever arguments a call has, without a validation library. */
export const ANY_OBJECT: StandardSchema = {
  '~standard': { version: 1, vendor: 'lousho', validate: (value) => ({ value }) },
};
