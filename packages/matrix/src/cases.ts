/** The disturbances of the script. */
export const caseNames = [
  'nothing',
  'tool error',
  'model error, transient',
  'model error, lasting',
  'stream breaks',
  'interrupt',
  'abort before the model',
  'abort in the stream',
  'abort with a model error',
  'abort in a tool',
  'abort in a commit',
  'crash',
] as const;

export type CaseName = (typeof caseNames)[number];
