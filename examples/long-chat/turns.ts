/** The messages of the user. */
export const turns: readonly string[] = [
  'We are writing a novel about a lighthouse. Remember that the dog is called Biscuit. Write chapter 1.',
  ...Array.from({ length: 19 }, (_, index) => `Write chapter ${index + 2}.`),
  'What is the dog called?',
];
