const people = [
  'The keeper',
  'Her nephew',
  'The postman',
  'The old captain',
  'A stranger',
  'The schoolmistress',
];
const deeds = [
  'climbed the stairs and counted the steps aloud',
  'waited for the boat that never came before noon',
  'wrote a letter and put it into the drawer with the others',
  'mended the net by the window',
  'heard the bell, although there was no wind',
  'asked what the light was for, if nobody sailed at night',
];
const ends = [
  'and the dog slept',
  'while the tide went out',
  'until the lamp was lit',
  'and nothing more was said',
];

/** Returns a chapter of a novel, of about 900 words. Each number has its own chapter, which is always the same. */
export function chapter(number: number): string {
  return `# Chapter ${number}\n\n${sentences(number, 45)}\n`;
}

/** Returns an outline of the story's next events, of about 400 words. */
export function outline(number: number): string {
  return sentences(number, 20);
}

function sentences(number: number, count: number): string {
  return Array.from({ length: count }, (_, index) => {
    const at = number * 7 + index;
    return `${pick(people, at)} ${pick(deeds, at * 5 + number)}, ${pick(ends, at * 3)}.`;
  }).join(' ');
}

function pick(list: readonly string[], index: number): string {
  return list[index % list.length] ?? '';
}
