import { align, rounded } from './align.ts';
import { bounds, judge, peersNotAbove } from './bounds.ts';
import type { Case } from './cases.ts';
import type { Results } from './results.ts';
import type { SubjectName } from './subjects.ts';

/** One case: a row for each subject, with its ratio to the floor. */
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

/** Shallot against its bounds, and the cases in which a peer is not above it; nothing when it was not measured. */
export function boundsTable(cases: readonly Case[], results: Results): string {
  const rows = bounds.flatMap((bound) => {
    const value = bound.value(results);
    if (value === undefined) return [];
    const aim = bound.aim === undefined ? '' : `≤ ${bound.aim}`;
    return [[bound.name, rounded(value), `≤ ${bound.must}`, aim, judge(bound, value)]];
  });
  if (rows.length === 0) return '';
  const lines = [align([['Shallot', 'measured', 'must', 'aim', ''], ...rows])];
  for (const measured of cases) {
    for (const { subject, share } of peersNotAbove(measured, results)) {
      lines.push(`not below ${subject} in ${measured.id}: it needs ${rounded(share)} of Shallot's`);
    }
  }
  return lines.join('\n');
}
