import { parseSync, Visitor } from 'oxc-parser';

/** A change of one token that should make a test fail. */
export interface Break {
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

const operators: Readonly<Record<string, string>> = {
  '===': '!==',
  '!==': '===',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '&&': '||',
  '||': '&&',
  '??': '&&',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '+=': '-=',
  '-=': '+=',
};

/** Lists the breaks of a source: in operators, conditions, booleans, numbers, and calls whose result is not used. */
export function listBreaks(file: string, text: string): Break[] {
  const breaks: Break[] = [];
  const add = (start: number, end: number, replacement: string): void =>
    void breaks.push({ start, end, replacement });

  /** The operator between two operands is its first occurrence outside a comment. */
  const addOperator = (left: number, right: number, operator: string): void => {
    const replacement = operators[operator];
    const start = text.indexOf(operator, left);
    if (replacement !== undefined && start !== -1 && start < right)
      add(start, start + operator.length, replacement);
  };

  const inTypes = new Set<number>();
  new Visitor({
    TSLiteralType: ({ literal }) => void inTypes.add(literal.start),
    BinaryExpression({ left, right, operator }) {
      const joinsText = operator === '+' && [left, right].some(({ type }) => type === 'TemplateLiteral');
      if (!joinsText) addOperator(left.end, right.start, operator);
    },
    LogicalExpression: ({ left, right, operator }) => addOperator(left.end, right.start, operator),
    AssignmentExpression: ({ left, right, operator }) => addOperator(left.end, right.start, operator),
    UnaryExpression({ operator, start }) {
      if (operator === '!') add(start, start + 1, '');
    },
    Literal({ value, start, end }) {
      if (inTypes.has(start)) return;
      if (typeof value === 'boolean') add(start, end, String(!value));
      if (typeof value === 'number') add(start, end, String(value + 1));
    },
    IfStatement({ test }) {
      add(test.start, test.end, `!(${text.slice(test.start, test.end)})`);
    },
    ConditionalExpression({ test }) {
      add(test.start, test.end, `!(${text.slice(test.start, test.end)})`);
    },
    ExpressionStatement({ expression, start, end }) {
      const called = expression.type === 'AwaitExpression' ? expression.argument : expression;
      if (called.type === 'CallExpression' && called.callee.type !== 'Super') add(start, end, ';');
    },
  }).visit(parseSync(file, text).program);
  return breaks.toSorted((a, b) => a.start - b.start || a.end - b.end);
}

/** Returns the text with the break in it. */
export function applyBreak(text: string, { start, end, replacement }: Break): string {
  return text.slice(0, start) + replacement + text.slice(end);
}
