// The words that the offline model ignores when it compares a question with a text. It compares by words, without their
// most common endings.

const emptyWords = new Set(
  (
    'a about after all an and any are as at be been before by can club come could did do does for from get give go had ' +
    'has have he her his how i if in is it its know let list many may me much must my not of often old on one or other ' +
    'our out over please say she should show so some tell than that the their them there they thing this to under up us ' +
    'was we were what when where which who whom whose why will with would you your'
  ).split(' '),
);

/**
 * Returns the significant words of a text in a form that can be compared: `Harvests` and `harvested` become the same.
 */
export function wordsOf(text: string): Set<string> {
  const words =
    text
      .toLowerCase()
      .replace(/['’]s\b/g, '')
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  return new Set(words.filter((word) => !emptyWords.has(word)).map(stem));
}

function stem(word: string): string {
  const singular = word.replace(/(?<=..)ies$/, 'y').replace(/(?<=..[^s])s$/, '');
  return singular.replace(/(?<=.{3})(?:ing|ed|ion)$/, '').replace(/(?<=...)e$/, '');
}

/** A line of a file that shares words with the question. */
export interface MatchingLine {
  readonly path: string;
  readonly line: string;
  readonly score: number;
}

/**
 * Returns the lines that fit a question best, the best first. The fewer lines have a word, the more it counts. A
 * heading's words also count, at a quarter, for the lines below it. Lines that score less than 40 % of the best one are
 * left out.
 */
export function bestLines(
  question: string,
  files: ReadonlyMap<string, string>,
  limit: number,
): MatchingLine[] {
  const asked = [...wordsOf(question)];
  const lines = [...files].flatMap(([path, text]) => factsOf(path, text));
  const weights = new Map(
    asked.map((word) => [
      word,
      Math.log(1 + lines.length / (1 + lines.filter(({ words }) => words.has(word)).length)),
    ]),
  );
  const scored = lines.map(({ path, line, words, headings }) => {
    let score = 0;
    for (const [word, weight] of weights) {
      if (words.has(word)) score += weight;
      else if (headings.has(word)) score += weight / 4;
    }
    return { path, line, score };
  });
  const best = Math.max(0, ...scored.map(({ score }) => score));
  return scored
    .filter(({ score }) => score > 0 && score >= best * 0.4)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, limit);
}

interface Fact {
  readonly path: string;
  readonly line: string;
  readonly words: ReadonlySet<string>;
  readonly headings: ReadonlySet<string>;
}

/** Returns the lines of a Markdown text that are not headings, each with the words of the headings above it. */
function factsOf(path: string, text: string): Fact[] {
  const facts: Fact[] = [];
  let title = '';
  let section = '';
  for (const line of text.split('\n')) {
    if (line.startsWith('# ')) title = line;
    else if (line.startsWith('#')) section = line;
    else if (line.trim() !== '') {
      const fact = line.replace(/^[-*]\s+/, '');
      facts.push({ path, line: fact, words: wordsOf(fact), headings: wordsOf(`${title} ${section}`) });
    }
  }
  return facts;
}
