import { align, rounded } from './align.ts';
import type { Case } from './cases.ts';
import type { Results } from './results.ts';
import { peers, type SubjectName } from './subjects.ts';

/** Returns the table of one case: a row per subject, with its ratio to the floor. */
export function caseTable(measured: Case, subjects: readonly SubjectName[], results: Results): string {
  const columns = Object.entries(measured.figures);
  const first = columns[0]?.[0] ?? '';
  const hasFloor = results.figure(measured.id, 'floor', first) !== undefined;
  const rows = subjects.map((subject) => {
    const failure = results.failure(measured.id, subject);
    if (failure !== undefined) return [subject, failure.split('\n')[0] ?? ''];
    const cells = columns.map(([figure]) => rounded(results.figure(measured.id, subject, figure)));
    if (!hasFloor) return [subject, ...cells];
    const own = { caseId: measured.id, subject, figure: first };
    return [subject, ...cells, `${rounded(results.ratio(own, { ...own, subject: 'floor' }))}×`];
  });
  const head = ['', ...columns.map(([, label]) => label), ...(hasFloor ? ['to the floor'] : [])];
  return `${measured.title}  [${measured.id}]\n${align([head, ...rows])}`;
}

/** Returns a line for each peer whose first figure in a case is not above Shallot's, with the ratio of the two. */
export function peersNotAbove(cases: readonly Case[], results: Results): string {
  const lines: string[] = [];
  for (const { id, figures } of cases) {
    const figure = Object.keys(figures)[0] ?? '';
    for (const subject of peers) {
      const share = results.ratio(
        { caseId: id, subject, figure },
        { caseId: id, subject: 'shallot', figure },
      );
      if (share === undefined || share > 1) continue;
      lines.push(`not below ${subject} in ${id}: it needs ${rounded(share)} of Shallot's`);
    }
  }
  return lines.join('\n');
}
